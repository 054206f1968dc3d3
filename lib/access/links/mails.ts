import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { Transaction } from '#lib/db/client.ts'
import { accountLinks } from '#lib/db/schema/access/people.ts'
import { digestOf } from '../api-key.ts'
import type { CustomerId } from '../rules.ts'
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

/** While one is being sent nobody else takes it. */
const LEASE = sql`interval '10 minutes'`
const AGAIN_AFTER = sql`interval '5 minutes'`
/** What is older helps nobody: it is given up. */
const LATEST = sql`interval '1 day'`

/**
 * Takes one of the customer's links that are to be mailed, and makes its secret; undefined where there is none. It lasts from
 * now on. One that is taken again, for it could not be sent, has a new secret.
 */
export async function claimLink(tx: Transaction, customerId: CustomerId): Promise<DueLink | undefined> {
  await tx.execute(sql`
    UPDATE account_links SET state = 'REFUSED', reason = 'It could not be sent within a day.'
    WHERE customer_id = ${customerId} AND state IN ('WAITING', 'SENDING') AND created_at < now() - ${LATEST}`)
  const secret = newSecret()
  const { rows } = await tx.execute<Omit<DueLink, 'secret'>>(sql`
    WITH due AS (
      SELECT id FROM account_links
      WHERE customer_id = ${customerId} AND state IN ('WAITING', 'SENDING') AND not_before <= clock_timestamp()
        AND used_at IS NULL AND withdrawn_at IS NULL
      ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE account_links a SET state = 'SENDING', not_before = clock_timestamp() + ${LEASE},
        digest = ${digestOf(secret)}, expires_at = now() + make_interval(secs =>
          CASE a.kind WHEN 'reset' THEN ${LINK_SECONDS.reset}::int ELSE ${LINK_SECONDS.invitation}::int END)
      FROM due WHERE a.customer_id = ${customerId} AND a.id = due.id RETURNING a.id, a.kind, a.member_id
    )
    SELECT t.id, t.kind, m.email, m.name, c.name AS customer
    FROM taken t
    JOIN members m ON m.customer_id = ${customerId} AND m.id = t.member_id
    JOIN customers c ON c.id = ${customerId}`)
  return rows[0] && { ...rows[0], secret }
}

/** How its mail ended; `WAITING`: it surely did not leave, and is tried again later. */
export async function settleLink(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  state: 'WAITING' | 'SENT' | 'REFUSED' | 'UNKNOWN',
  reason: string | null = null,
): Promise<void> {
  const notBefore = sql`clock_timestamp() + ${AGAIN_AFTER}`
  await tx
    .update(accountLinks)
    .set({ state, reason, notBefore })
    .where(and(eq(accountLinks.customerId, customerId), eq(accountLinks.id, id)))
}
