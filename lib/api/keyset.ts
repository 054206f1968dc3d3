import 'server-only'
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Cursor } from './page-token.ts'

/** The sort key of a list's rows: a value, and among equal ones the id. */
export type Keyset = {
  sort: SQLWrapper
  id: SQLWrapper
  /** The value as a page token holds it, back in the type of `sort`. */
  read: (text: string) => SQL
}

/**
 * One page by key, in the direction of reading: the ORDER BY, and the condition that leaves out what lies before
 * the cursor. Value and id run the same way, so that one index serves both directions.
 */
export function pageByKey({ sort, id, read }: Keyset, cursor: Cursor | undefined, ascending = false) {
  const up = ascending !== (cursor?.direction === 'newer')
  const [value = '', last] = cursor?.key ?? []
  const direction = up ? sql`asc` : sql`desc`
  return {
    beyond: cursor && sql`(${sort}, ${id}) ${up ? sql`>` : sql`<`} (${read(value)}, ${last})`,
    order: sql`${sort} ${direction}, ${id} ${direction}`,
  }
}
