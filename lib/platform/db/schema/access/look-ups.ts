import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { customerId, key } from '../columns.ts'

/**
 * Whose a credential or an address is: read before a customer is known, and by nobody else. It is written when one is made,
 * changed or removed, with the row itself (lib/platform/caller/credentials.ts), and never by its use.
 */
export const lookUps = pgTable(
  'look_ups',
  {
    /** See lib/platform/caller/credentials.ts. */
    kind: text('kind').notNull(),
    /** SHA-256: of a credential as its row has it, of an e-mail address what the function `address_digest` makes of it. */
    digest: key('digest').notNull(),
    customerId: customerId(),
    /** By which the row is found among the customer's. */
    id: key('id').notNull(),
  },
  (t) => [
    // By the digest alone: no customer is known yet, and it is by this column that a distributed database could spread it.
    primaryKey({ columns: [t.kind, t.digest, t.customerId] }),
    // One address may be a member of several customers. A credential opens one.
    uniqueIndex('look_ups_credential').on(t.kind, t.digest).where(sql`${t.kind} <> 'address'`),
    index('look_ups_row').on(t.customerId, t.kind, t.id),
  ],
)
