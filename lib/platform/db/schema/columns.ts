import { sql } from 'drizzle-orm'
import { customType, doublePrecision, text, timestamp } from 'drizzle-orm/pg-core'

// The customer is the first column of every primary key, foreign key and index of a tenant table, so
// that one customer's rows lie together. Row-level security is in the migration `walls`.

/** Text that orders and pages the same on every server, whatever its locale. */
export const key = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })
/** Bytes as they are. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
/** A moment, to the microsecond. */
export const time = (name: string) => timestamp(name, { withTimezone: true })
/** When the row was written. */
export const createdAt = () => time('created_at').notNull().default(sql`now()`)
/** Whose row it is. */
export const customerId = () => key('customer_id').notNull()
/**
 * An amount for order and pages alone, never to be answered or added up. PostgreSQL lets no index be asked beyond a
 * `numeric` under row-level security, because its comparison is not leakproof; that of floats is. It tells apart
 * whatever a JSON number tells apart, and import takes no other amounts.
 */
export const sortable = (name: string, amount: string) =>
  doublePrecision(name).generatedAlwaysAs(sql.raw(`${amount}::double precision`))
/** Where a company is, beside the lines of its address; the country is its code of two letters (ISO 3166-1). */
export const localityColumns = () => ({
  postcode: text('postcode'),
  city: text('city'),
  country: text('country'),
})
