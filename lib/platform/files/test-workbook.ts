import { XLSX } from './table.ts'
import { unzip } from './test-zip.ts'

/** Returns an answer's body for tests, one character per byte; for a workbook, the text of all its parts. */
export function legible(body: ArrayBuffer, mediaType: string | null): string {
  if (mediaType !== XLSX) return Buffer.from(body).toString('latin1')
  return unzip(new Uint8Array(body))
    .map(({ name, bytes }) => `${name}\n${bytes.toString('latin1')}`)
    .join('\n')
}
