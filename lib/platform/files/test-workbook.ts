import { XLSX } from './table.ts'
import { unzip } from './test-zip.ts'

/** An answer's body for tests to look into, a character for each byte: of a workbook that is the text of all its parts. */
export function legible(body: ArrayBuffer, mediaType: string | null): string {
  if (mediaType !== XLSX) return Buffer.from(body).toString('latin1')
  return unzip(new Uint8Array(body))
    .map(({ name, bytes }) => `${name}\n${bytes.toString('latin1')}`)
    .join('\n')
}
