import { z } from 'zod'

/**
 * Declares a file as the answer: its bytes leave unchanged, with the operation's headers.
 * @param otherType alternative media type
 */
export const file = (mediaType: string, description: string, otherType?: string) =>
  z.instanceof(Uint8Array<ArrayBufferLike>).meta({ mediaType, otherType, description })

/**
 * Declares the output of a file that is streamed while it is made, of any length: the operation returns chunks, and
 * starts no work before the first is requested. A failure before the first byte is a problem; a later one cuts the
 * connection. The file has no ETag.
 */
export const stream = (mediaType: string, description: string) =>
  z
    .custom<AsyncIterable<string | Uint8Array>>((value) => Symbol.asyncIterator in Object(value))
    .meta({ mediaType, streamed: true, description })

/** Declares a CSV file as the answer, as `csv` writes it. */
export const csvFile = () =>
  stream(
    'text/csv',
    'RFC 4180 in UTF-8 with a byte order mark, a line of names first. Amounts are plain decimals, dates are days of UTC (`2026-09-30`). Text that a spreadsheet would take for a formula has an apostrophe before it.',
  )

/** Query parameters for the format of a CSV file, by the spreadsheet that reads it. */
export const dialect = {
  separator: z
    .enum(['comma', 'semicolon', 'tab'], { error: 'must be comma, semicolon or tab' })
    .optional()
    .meta({
      description: 'Separator of cells: a comma by default. A German or French Excel takes semicolons.',
    }),
  decimal: z.enum(['point', 'comma'], { error: 'must be point or comma' }).optional().meta({
    description: 'Decimal separator: a point by default. Where a comma is usual, `7.500` is read as 7500.',
  }),
}

/** Declares a workbook as the answer, as `xlsx` writes it. */
export const xlsxFile = () =>
  stream(
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'A workbook of Office Open XML: the columns of the CSV file, with cells that are numbers, days (of UTC) and text, which every spreadsheet reads the same, in any language. Numbers of more than 15 digits are text, because spreadsheets keep no more. After 1,048,576 rows a second sheet goes on. Binary, so without an example.',
  )
