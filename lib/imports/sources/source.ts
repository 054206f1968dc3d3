/** Source of rows or objects to import: a file, a file of an archive, or a pipe. */
export type Source = {
  /** Name used by the operator; a file of an archive has the archive's name as a prefix: `parts.zip/part-1.csv`. */
  name: string
  /** Reads the bytes from the start; may be called repeatedly. */
  open(): AsyncIterable<Uint8Array>
}

/** Source as stored with its import. */
export type SourceFile = {
  name: string
  /** Size as received, packed or not. */
  bytes: number
  /** Digest of those bytes, in hexadecimal digits. */
  sha256: string
}

/** The text of a source, to be read once. */
export type SourceText = {
  /** Name in error messages; empty for a single source, where a line number is enough. */
  name: string
  text: AsyncIterable<string>
}
