import 'server-only'
import { hash } from 'node:crypto'
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { z } from 'zod'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Sealing, seal, unseal } from '#lib/platform/runtime/secrets.ts'

/** A column of the sort key of a list's rows; the last one is the id, which makes it unique. */
export type KeyColumn = {
  column: SQLWrapper
  /** A value as a page token holds it, back in the type of the column; text unless told. */
  read?: (text: string) => SQL
}

/**
 * One page by key, in the direction of reading: the ORDER BY, and the condition that leaves out what lies before
 * the cursor. All columns run the same way, so that one index serves both directions.
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
 * The sort key of a list by time of creation: that time in whole microseconds, which a JavaScript date would cut,
 * then the id. `TimeKey` checks what a page token holds of it.
 */
export function byCreation(createdAt: SQLWrapper, id: SQLWrapper) {
  const read = (micros: string) => sql`timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`
  const columns: KeyColumn[] = [{ column: createdAt, read }, { column: id }]
  return { columns, micros: sql<string>`(extract(epoch from ${createdAt}) * 1000000)::bigint::text` }
}

/** The time of creation as JavaScript has it, in epoch milliseconds, from the microseconds of a row. */
export function timeOf(micros: string): number {
  return Math.floor(Number(micros) / 1000)
}

/**
 * All rows of a list, page after page on in its order.
 * @param size how many rows `read` gives at most, beyond the cursor
 * @param keyOf the sort key of a row, as a cursor holds it
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
 * Where a page starts: beyond this row's sort key, on or back in the list's order. They are called as in the usual
 * one, newest first: `older` leads on and `newer` back.
 */
export type Cursor = { key: readonly string[]; direction: 'older' | 'newer' }

const Token = z.tuple([
  z.enum(['older', 'newer']),
  z.string().length(16),
  z.array(z.string().max(400)).max(4),
])

/** The sort key of a list that is ordered by time of creation: microseconds since 1970 that PostgreSQL can hold, and an id. */
export const TimeKey = z.tuple([
  z.string().regex(/^\d{1,17}$/),
  z
    .string()
    .max(300)
    .regex(/^[^\0]+$/),
])

/** Whose list it is, which one, and whatever selects and orders its rows. */
export type ListOf = readonly [customerId: string, list: string, ...selection: unknown[]]

/** Equal answers stay equal to the byte, with their ETag. */
export const PAGE_TOKENS: Sealing = { purpose: 'page tokens', isRepeatable: true }

/** Makes the opaque token, sealed: nobody can read it or make one. It fits no other list. */
export function pageToken(cursor: Cursor, list: ListOf): string {
  return seal(JSON.stringify([cursor.direction, digest(list), cursor.key]), PAGE_TOKENS)
}

/**
 * Reads a token that `pageToken` made for the same list.
 * @param key checks the sort key's parts: a token may be older than the list's present order
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
 * Cuts one page out of rows that were read with one row more than asked for, and names its neighbours.
 * @param rows in the direction of reading: in the list's order when older, the other way round when newer
 */
export function pageOf<Row>(
  rows: Row[],
  size: number,
  cursor: Cursor | undefined,
  keyOf: (row: Row) => string[],
  list: ListOf,
): { rows: Row[]; pageToken?: string; previousPageToken?: string } {
  const more = rows.length > size
  const back = cursor?.direction === 'newer'
  const page = back ? rows.slice(0, size).reverse() : rows.slice(0, size)
  const first = page[0]
  const last = page.at(-1)
  const token = (row: Row, direction: Cursor['direction']) => pageToken({ key: keyOf(row), direction }, list)
  return {
    rows: page,
    ...(last && (more || back) ? { pageToken: token(last, 'older') } : {}),
    ...(first && (back ? more : cursor) ? { previousPageToken: token(first, 'newer') } : {}),
  }
}
