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
