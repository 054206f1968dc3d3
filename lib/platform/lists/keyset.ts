import 'server-only'
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Cursor } from './page-token.ts'

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
