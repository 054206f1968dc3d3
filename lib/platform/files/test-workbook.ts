import { readPages } from '#lib/platform/pdf/test-read.ts'
import { unzip } from './test-zip.ts'
import { XLSX } from './workbook.ts'

/**
 * Returns an answer's body for tests, one character per byte; for a workbook, the text of all its parts; for a PDF that we
 * drew, its text after its bytes.
 */
export function legible(body: ArrayBuffer, mediaType: string | null): string {
  const bytes = Buffer.from(body).toString('latin1')
  if (mediaType === 'application/pdf') return bytes + textOf(new Uint8Array(body))
  if (mediaType !== XLSX) return bytes
  return unzip(new Uint8Array(body))
    .map(({ name, bytes }) => `${name}\n${bytes.toString('latin1')}`)
    .join('\n')
}

function textOf(pdf: Uint8Array): string {
  return readPages(pdf)
    .flat()
    .map(({ text }) => text)
    .join('\n')
}
