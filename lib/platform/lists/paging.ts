import 'server-only'
import { hash } from 'node:crypto'
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { z } from 'zod'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Sealing, seal, unseal } from '#lib/platform/runtime/secrets.ts'
import { maxResults } from './parameters.ts'

/** Paging parameters of each list. */
export const paging = {
  maxResults,
  pageToken: z
    .string()
    .min(1, 'is empty')
    // An id in the filter may have 300 characters of four bytes.
    .max(2000, 'is too long')
    .optional()
    .meta({
      description: 'The `pageToken` or `previousPageToken` of an answer to the same filters and order.',
    }),
}

/** Paging members of each list's answer, next to its rows. */
export const pagingOutput = {
  rowCount: z.int().min(0).meta({ description: 'Number of rows in this page.' }),
  pageToken: z.string().optional().meta({ description: 'Leads to the next page. Absent on the last.' }),
  previousPageToken: z.string().optional().meta({ description: 'Leads back. Absent on the first page.' }),
}

/** Returns the schema of a page of a list: its rows, an array that is always there, also when empty, and its paging members. */
export function pageSchema<const Name extends string, Row extends z.ZodType>(name: Name, row: Row) {
  const rows = z.array(row).meta({ description: 'The page.' })
  return z.object({ [name]: rows, ...pagingOutput } as Record<Name, typeof rows> & typeof pagingOutput)
}

/** Column of a list's sort key; the last one is the id, which makes the key unique. */
export type KeyColumn = {
  column: SQLWrapper
  /** Converts a value from a page token's text to the column's type; without it, the value is text. */
  read?: (text: string) => SQL
}

/**
 * Returns the parts of a keyset pagination query in reading direction: the ORDER BY, and the condition for rows beyond
 * the cursor. All columns have the same direction, so that one index serves both directions.
 */
export function pageByKey(columns: readonly KeyColumn[], cursor: Cursor | undefined, ascending = false) {
  const up = ascending !== (cursor?.direction === 'newer')
  const direction = up ? sql`asc` : sql`desc`
  const row = (cells: SQLWrapper[]) => sql.join(cells, sql`, `)
  const names = row(columns.map(({ column }) => column))
  const values = columns.map(({ read }, index) => {
    const text = cursor?.key[index] ?? ''
    return read ? read(text) : sql`${text}`
  })
  return {
    beyond: cursor && sql`(${names}) ${up ? sql`>` : sql`<`} (${row(values)})`,
    order: row(columns.map(({ column }) => sql`${column} ${direction}`)),
  }
}

/**
 * Returns the sort key of a list by creation time: the time in whole microseconds, which a JavaScript date would
 * truncate, then the id. `TimeKey` validates this key in page tokens.
 */
export function byCreation(createdAt: SQLWrapper, id: SQLWrapper) {
  const read = (micros: string) => sql`timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`
  const columns: KeyColumn[] = [{ column: createdAt, read }, { column: id }]
  return { columns, micros: sql<string>`(extract(epoch from ${createdAt}) * 1000000)::bigint::text` }
}

/** Returns the creation time of a row in epoch milliseconds, from its microseconds. */
export function timeOf(micros: string): number {
  return Math.floor(Number(micros) / 1000)
}

/**
 * Yields all rows of a list, page by page in its order.
 * @param size largest number of rows that `read` returns beyond the cursor
 * @param keyOf returns the sort key of a row, as in a cursor
 */
export async function* allPages<Row>(
  size: number,
  read: (cursor: Cursor | undefined) => Promise<Row[]>,
  keyOf: (row: Row) => readonly string[],
): AsyncGenerator<Row[], void, undefined> {
  let cursor: Cursor | undefined
  for (;;) {
    const rows = await read(cursor)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (!last || rows.length < size) return
    cursor = { key: keyOf(last), direction: 'older' }
  }
}

/**
 * Start of a page: rows beyond this sort key, forward or backward in the list's order. Directions are named after the
 * usual order, newest first: `older` is forward and `newer` is backward.
 */
export type Cursor = { key: readonly string[]; direction: 'older' | 'newer' }

const Token = z.tuple([
  z.enum(['older', 'newer']),
  z.string().length(16),
  z.array(z.string().max(400)).max(4),
])

/** Schema of the sort key by creation time: microseconds since 1970 that PostgreSQL can represent, and an id. */
export const TimeKey = z.tuple([
  z.string().regex(/^\d{1,17}$/),
  z
    .string()
    .max(300)
    .regex(/^[^\0]+$/),
])

/** Identity of a list: its customer, its name, and all parameters that select and order its rows. */
export type ListOf = readonly [customerId: string, list: string, ...selection: unknown[]]

/** Repeatable, so that equal answers are identical byte for byte, with their ETag. */
export const PAGE_TOKENS: Sealing = { purpose: 'page tokens', isRepeatable: true }

/** Returns an opaque token, sealed: clients can neither read nor forge it. It is valid for this list only. */
export function pageToken(cursor: Cursor, list: ListOf): string {
  return seal(JSON.stringify([cursor.direction, digest(list), cursor.key]), PAGE_TOKENS)
}

/**
 * Parses a token of `pageToken` for the same list.
 * @param key schema of the sort key: a token may be older than the list's current order
 * @throws Problem `page_token_invalid`
 */
export function readPageToken(token: string, list: ListOf, key: z.ZodType<readonly string[]>): Cursor {
  const read = Token.safeParse(parse(token))
  if (!read.success) throw invalid('The page token is malformed.')
  const [direction, madeFor, parts] = read.data
  if (madeFor !== digest(list))
    throw invalid('The page token belongs to a list with other filters or another order.')
  const checked = key.safeParse(parts)
  if (!checked.success) throw invalid('The page token is malformed.')
  return { direction, key: checked.data }
}

function invalid(detail: string): Problem {
  return new Problem('page_token_invalid', detail, { errors: [{ parameter: 'pageToken', detail }] })
}

function parse(token: string): unknown {
  try {
    const text = unseal(token, PAGE_TOKENS)
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function digest(list: ListOf): string {
  return hash('sha256', JSON.stringify(list), 'base64url').slice(0, 16)
}

/**
 * Returns one page of rows, of which one more than `size` was read, with tokens for the next and the previous page.
 * @param rows rows in reading direction: in the list's order for `older`, reversed for `newer`
 */
export function pageOf<Row>(
  rows: Row[],
  {
    size,
    cursor,
    keyOf,
    list,
  }: { size: number; cursor: Cursor | undefined; keyOf: (row: Row) => string[]; list: ListOf },
): PageTokens & { rows: Row[] } {
  const pageRows = rows.slice(0, size)
  const [first] = rows
  const last = rows.length > size ? pageRows.at(-1) : undefined
  const tokens = pageTokens({ first: first && keyOf(first), last: last && keyOf(last), cursor, list })
  return { rows: cursor?.direction === 'newer' ? pageRows.reverse() : pageRows, ...tokens }
}

type PageTokens = { pageToken?: string; previousPageToken?: string }

/**
 * Returns the tokens for the next and the previous page of a page.
 * @param first sort key of the first row that was read, if any
 * @param last sort key of the page's last row in reading direction, if there are rows beyond it
 */
export function pageTokens({
  first,
  last,
  cursor,
  list,
}: {
  first: readonly string[] | undefined
  last: readonly string[] | undefined
  cursor: Cursor | undefined
  list: ListOf
}): PageTokens {
  // The page of the cursor lies before the first row that was read.
  const returning = cursor && first
  const [older, newer] = cursor?.direction === 'newer' ? [returning, last] : [last, returning]
  return {
    ...(older ? { pageToken: pageToken({ key: older, direction: 'older' }, list) } : {}),
    ...(newer ? { previousPageToken: pageToken({ key: newer, direction: 'newer' }, list) } : {}),
  }
}
