/** In bytes: 250 rows with many columns. */
const LARGEST = 1_000_000

/**
 * The text of a list that was chosen or dropped.
 * @throws Error that says in words why it can't be read
 */
export async function readListFile(file: File): Promise<string> {
  if (file.size > LARGEST) throw new Error(`${file.name} is larger than a list of 250 rows can be.`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
    throw new Error(`${file.name} is a workbook or an archive: save it as CSV, or copy its cells.`)
  }
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  const encoding = isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new Error(`${file.name} is no text in UTF-8: save it as “CSV UTF-8”.`)
  }
}
