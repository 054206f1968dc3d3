import { z } from 'zod'

/**
 * A file as an answer: its bytes leave as they are, with the headers that the operation gives.
 * @param otherType a second media type that it may be of
 */
export const file = (mediaType: string, description: string, otherType?: string) =>
  z.instanceof(Uint8Array<ArrayBufferLike>).meta({ mediaType, otherType, description })

/**
 * A file that is sent while it is made, however long it is: the operation answers its pieces, and begins no work
 * before the first is asked for. What fails before the first byte is a problem; what fails later cuts the
 * connection. It has no ETag.
 */
export const stream = (mediaType: string, description: string) =>
  z
    .custom<AsyncIterable<string | Uint8Array>>((value) => Symbol.asyncIterator in Object(value))
    .meta({ mediaType, streamed: true, description })

/** A CSV file as an answer, as `csv` writes it. */
export const csvFile = () =>
  stream(
    'text/csv',
    'RFC 4180 in UTF-8 with a byte order mark, a line of names first. Amounts are plain decimals, dates are days of UTC (`2026-09-30`). Text that a spreadsheet would take for a formula has an apostrophe before it.',
  )

/** What a CSV file may be asked for in, for the spreadsheet that reads it. */
export const dialect = {
  separator: z
    .enum(['comma', 'semicolon', 'tab'], { error: 'must be comma, semicolon or tab' })
    .optional()
    .meta({
      description:
        'What stands between two cells: a comma unless told. A German or French Excel takes semicolons.',
    }),
  decimal: z.enum(['point', 'comma'], { error: 'must be point or comma' }).optional().meta({
    description:
      'What stands before a fraction: a point unless told. Where a comma is usual, `7.500` is read as 7500.',
  }),
}

/** A workbook as an answer, as `xlsx` writes it. */
export const xlsxFile = () =>
  stream(
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'A workbook of Office Open XML: the columns of the CSV file, with cells that are numbers, days (of UTC) and text, which every spreadsheet reads the same, in any language. Numbers of more than 15 digits are text, because spreadsheets keep no more. After 1,048,576 rows a second sheet goes on. Binary, so without an example.',
  )
