import { sql } from 'drizzle-orm'
import { check, foreignKey, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { licenseChanges } from './assets.ts'
import { customerId, key, time } from './columns.ts'

/** Each call of a change to its vendor. What was recorded and has no `kind`: nobody wrote down how it ended. */
export const licenseChangeAttempts = pgTable(
  'license_change_attempts',
  {
    customerId: customerId(),
    changeId: key('change_id').notNull(),
    /** From 1 on. */
    number: integer('number').notNull(),
    /** When the call could leave. */
    at: time('at').notNull().default(sql`clock_timestamp()`),
    /** Who had it sent: whoever asked for the change, or for it again. */
    actorName: text('actor_name'),
    /** The total that was sent. */
    quantity: integer('quantity').notNull(),
    /** What the vendor's answer came to: applied, rejected, not_sent or unknown. */
    kind: text('kind'),
    /** In the vendor's words or ours: for operators alone. */
    reason: text('reason'),
    vendorRequestId: text('vendor_request_id'),
    tookMs: integer('took_ms'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.changeId, t.number] }),
    foreignKey({
      columns: [t.customerId, t.changeId],
      foreignColumns: [licenseChanges.customerId, licenseChanges.id],
    }),
    check('license_change_attempts_kind', sql`${t.kind} in ('applied', 'rejected', 'not_sent', 'unknown')`),
  ],
)
