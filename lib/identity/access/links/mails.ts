import 'server-only'
import { sql } from 'drizzle-orm'
import { digestOf } from '#lib/platform/caller/api-key.ts'
import { changeLookUp } from '#lib/platform/caller/look-ups/keep.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { accountLinks } from '#lib/platform/db/schema/access/people.ts'
import { giveUpLate, IS_DUE, LEASE } from '#lib/platform/mail/queue.ts'
import { LINK_SECONDS, type LinkKind } from './rules.ts'
import { newSecret } from './store.ts'

/** A link that this process is to mail, with whom it goes to. */
export type DueLink = {
  id: string
  kind: LinkKind
  secret: string
  email: string
  name: string
  customer: string
}

/**
 * Takes one of the customer's links that are to be mailed, and makes its secret; undefined where there is none. It lasts from
 * now on. One that is taken again, for it could not be sent, has a new secret.
 */
export async function claimLink(tx: Transaction, customerId: CustomerId): Promise<DueLink | undefined> {
  await giveUpLate(tx, customerId, accountLinks, 'created_at')
  const secret = newSecret()
  const { rows: taken } = await tx.execute<{ id: string; memberId: string }>(sql`
    WITH due AS (
      SELECT id FROM account_links
      WHERE customer_id = ${customerId} AND ${IS_DUE}
        AND used_at IS NULL AND withdrawn_at IS NULL
      ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE account_links a SET state = 'SENDING', not_before = statement_timestamp() + ${LEASE},
      digest = ${digestOf(secret)}, expires_at = now() + make_interval(secs =>
        CASE a.kind WHEN 'reset' THEN ${LINK_SECONDS.reset}::int ELSE ${LINK_SECONDS.invitation}::int END)
    FROM due WHERE a.customer_id = ${customerId} AND a.id = due.id RETURNING a.id, a.member_id AS "memberId"`)
  if (!taken[0]) return undefined
  // By a statement of its own: Citus refuses an UPDATE beside a table that lies everywhere.
  const { rows } = await tx.execute<Omit<DueLink, 'secret'>>(sql`
    SELECT t.id, t.kind, m.email, m.name, c.name AS customer
    FROM account_links t
    JOIN members m ON m.customer_id = ${customerId} AND m.id = ${taken[0].memberId}
    JOIN customers c ON c.id = ${customerId}
    WHERE t.customer_id = ${customerId} AND t.id = ${taken[0].id}`)
  if (!rows[0]) return undefined
  await changeLookUp(tx, customerId, 'link', { digest: digestOf(secret), id: rows[0].id })
  return { ...rows[0], secret }
}
