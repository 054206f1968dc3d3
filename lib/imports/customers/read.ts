import { ImportRefused } from '../refused.ts'
import { readText } from '../sources/read-text.ts'
import { readCsvPieces } from './csv.ts'
import { gathered } from './gather.ts'
import { readJsonPieces } from './json.ts'
import type { GivenCustomer } from './shapes.ts'

/** Far above 100,000 rows. All of a file is looked at before anything of it is written, and so held in memory. */
const LONGEST = 32 * 1024 * 1024

/**
 * Reads the customers of a file, CSV or JSON, also gzipped; `-` is the standard input.
 * @throws ImportRefused that lists what is wrong, by line and column
 */
export async function readCustomers(file: string, signal?: AbortSignal): Promise<GivenCustomer[]> {
  let text = ''
  for await (const chunk of readText(file, signal)) {
    text += chunk
    if (text.length > LONGEST)
      throw new ImportRefused([{ reason: 'The file has more than 32 million characters: give it in parts.' }])
  }
  const isJson = /^\s*[[{]/.test(text)
  return gathered(await (isJson ? readJsonPieces(text) : readCsvPieces(text)))
}
