/** Something that holds rows or objects to import: a file, a file of an archive, or what came through a pipe. */
export type Source = {
  /** As whoever gave it names it; a file of an archive has the archive's name before it: `parts.zip/part-1.csv`. */
  name: string
  /** Its bytes from the start, as often as it is called. */
  open(): AsyncIterable<Uint8Array>
}

/** A source as it is kept with its import. */
export type SourceFile = {
  name: string
  /** As it came, packed or not. */
  bytes: number
  /** Of those bytes, in hexadecimal digits. */
  sha256: string
}

/** The text of a source, to be read once. */
export type SourceText = {
  /** As problems tell it; empty where there is one source only, for then a line number says where. */
  name: string
  text: AsyncIterable<string>
}
