import { sql } from 'drizzle-orm'
import { customType, date, doublePrecision, numeric, text, timestamp } from 'drizzle-orm/pg-core'
import type { Transaction } from '../client.ts'

// The customer is the first column of every primary key, foreign key and index of a tenant table, so
// that one customer's rows lie together. Row-level security is in the migration `walls`.

/** Text with the same sort order on every server, independent of its locale (collation C). */
export const key = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })
/** Raw bytes. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
/** Point in time, with microseconds. */
export const time = (name: string) => timestamp(name, { withTimezone: true })
/**
 * Day, as text (`2026-09-30`). Drivers parse `date` as a local midnight, which is another day in UTC: statements in SQL
 * convert days to text, or to epoch milliseconds, themselves.
 */
export const day = (name: string) => date(name, { mode: 'string' })
/** The database's day in UTC, a `date`. */
export const today = sql`(now() AT TIME ZONE 'UTC')::date`
/** Returns the database's day in UTC, `YYYY-MM-DD`. */
export async function readToday(tx: Transaction): Promise<string> {
  const { rows } = await tx.execute<{ today: string }>(sql`SELECT ${today}::text AS today`)
  return rows[0]?.today ?? ''
}
/** Exact decimal, such as an amount of money or a price, as text. It becomes a float in JSON only. */
export const decimal = (name: string) => numeric(name, { mode: 'string' })
/** Time at which the row was written. */
export const createdAt = () => time('created_at').notNull().default(sql`now()`)
/** Customer that owns the row. */
export const customerId = () => key('customer_id').notNull()
/**
 * Amount for sorting, paging and numbers in JSON, never for sums. Under row-level security PostgreSQL uses no index for
 * comparisons of `numeric`, which are not leakproof; those of floats are. A float distinguishes the same amounts as a
 * JSON number, and imports accept no others.
 */
export const sortable = (name: string, amount: string) =>
  doublePrecision(name).generatedAlwaysAs(sql.raw(`${amount}::double precision`))
/** Locality of a company, next to its address lines; the country is a two-letter code (ISO 3166-1). */
export const localityColumns = () => ({
  postcode: text('postcode'),
  city: text('city'),
  country: text('country'),
})
