import { z } from 'zod'
import type { Permission } from '#lib/access/rules.ts'
import type { ProblemCode } from './problem.ts'

export type Method = 'GET' | 'PATCH' | 'PUT'

/**
 * What is promised of one call. From this value come the route handler, the browser call, the query
 * key, the OpenAPI operation and the permission check.
 */
export type Contract<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Headers extends z.ZodObject = z.ZodObject,
> = {
  name: string
  summary: string
  method: Method
  /** With `{name}` for each of `params`. */
  path: string
  /** `any`: every caller. `none`: no caller is needed. */
  permission: Permission | 'any' | 'none'
  params: Params
  /** Each field reads one text value. Parameters that it does not name are ignored. */
  query: Query
  /** Each field reads one header, under its name in lower case. */
  headers: Headers
  /** Absent where `method` carries none. */
  body: Body
  /** What is not declared here never leaves. */
  output: Output
  /** Besides those that every call may answer. */
  problems: readonly ProblemCode[]
}

// biome-ignore lint/suspicious/noExplicitAny: the one place where a contract's schemas don't matter
export type AnyContract = Contract<any, any, any, any, any>

/** What an operation gets: decoded by the contract's schemas. */
export type Input<C extends AnyContract> = {
  params: z.output<C['params']>
  query: z.output<C['query']>
  body: z.output<C['body']>
  headers?: z.output<C['headers']>
}
export type Output<C extends AnyContract> = z.output<C['output']>

export const nothing = z.object({})
export const noBody = z.undefined()

/** Names a contract. Its parts that carry nothing may be left out. */
export function contract<
  Output extends z.ZodType,
  Params extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = typeof noBody,
  Headers extends z.ZodObject = typeof nothing,
>(
  given: Omit<Contract<Params, Query, Body, Output, Headers>, 'params' | 'query' | 'body' | 'headers'> & {
    params?: Params
    query?: Query
    body?: Body
    headers?: Headers
  },
): Contract<Params, Query, Body, Output, Headers> {
  const empty = { params: nothing, query: nothing, body: noBody, headers: nothing }
  return { ...empty, ...given } as unknown as Contract<Params, Query, Body, Output, Headers>
}

/** Text to a whole number within bounds; `max` clamps when `clamp` is set. */
function integerText(min: number, max: number, clamp = false) {
  return z
    .codec(z.string().regex(/^\d{1,100}$/, `must be a whole number of ${min} or more`), z.int(), {
      decode: (value, context) => {
        const number = Number(value)
        if (number >= min && number <= max) return number
        if (clamp && number > max) return max
        context.issues.push({ code: 'custom', input: value, message: `must be from ${min} to ${max}` })
        return z.NEVER
      },
      encode: (number) => String(number),
    })
    .meta({
      integer: { type: 'integer', minimum: min, ...(max < Number.MAX_SAFE_INTEGER ? { maximum: max } : {}) },
    })
}

// Public clients send milliseconds where the spec says seconds: no date of ours is that many seconds away.
const FIRST_MILLISECONDS = 100_000_000_000

/**
 * Unix seconds, or milliseconds from 100,000,000,000 on, to whole milliseconds; may be absent.
 * @param rest milliseconds added to whole seconds: 999 where a bound takes in all of its second
 */
export function unixTime(rest = 0) {
  return z
    .codec(integerText(0, Number.MAX_SAFE_INTEGER), z.int().min(0), {
      decode: (value) => (value >= FIRST_MILLISECONDS ? value : value * 1000 + rest),
      encode: (ms) => (ms >= FIRST_MILLISECONDS ? ms : Math.floor(ms / 1000)),
    })
    .optional()
}

/** A file as an answer: its bytes leave as they are, with the headers that the operation gives. */
export const file = (mediaType: string) => z.instanceof(Uint8Array<ArrayBufferLike>).meta({ mediaType })

/**
 * A file that is sent while it is made, however long it is: the operation answers its pieces, and begins no work
 * before the first is asked for. What fails before the first byte is a problem; what fails later cuts the
 * connection. It has no ETag.
 */
export const stream = (mediaType: string, description?: string) =>
  z
    .custom<AsyncIterable<string | Uint8Array>>((value) => Symbol.asyncIterator in Object(value))
    .meta({ mediaType, streamed: true, ...(description ? { description } : {}) })

/** A CSV file as an answer, as `csv` writes it. */
export const csvFile = () =>
  stream(
    'text/csv',
    'RFC 4180 in UTF-8 with a byte order mark, a line of names first. Amounts are plain decimals, dates are days of UTC (`2026-09-30`). Text that a spreadsheet would take for a formula has an apostrophe before it.',
  )

/** The parameters of each list (CONTRACT 2). */
export const paging = {
  maxResults: integerText(1, 250, true)
    .optional()
    .meta({ description: 'Rows per page: 1 to 250, 50 unless told.' }),
  pageToken: z
    .string()
    .min(1, 'is empty')
    // An id in it may have 300 characters of four bytes.
    .max(2000)
    .optional()
    .meta({
      description: 'The `pageToken` or `previousPageToken` of an answer to the same filters and order.',
    }),
}

export const DEFAULT_MAX_RESULTS = 50

/** What each list answers beside its rows. */
export const pagingOutput = {
  rowCount: z.int().min(0).meta({ description: 'Number of rows in this page.' }),
  pageToken: z.string().optional().meta({ description: 'Leads to the next page. Absent on the last.' }),
  previousPageToken: z.string().optional().meta({ description: 'Leads back. Absent on the first page.' }),
}
