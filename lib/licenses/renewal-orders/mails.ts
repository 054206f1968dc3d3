import 'server-only'
import { sql } from 'drizzle-orm'
import { customersWithNearOrders } from '#lib/identity/access/due-work.ts'
import type { RenewalEvent } from '#lib/identity/access/sign-ins/account-mail.ts'
import { type CustomerId, ROLES_WITH } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'

/** So many days before a term ends, whoever ordered something for the next one is told of it. */
const TOLD_DAYS = 14

/** `Business Plus: 96 licenses from 3 Dec 2026, ordered by Ana Ruiz.` and what came of it. */
const ABOUT = sql`a.name || ': '
  || CASE WHEN o.to_quantity IS NULL THEN o.renewal_type ELSE o.to_quantity || ' licenses (now ' || a.seats_purchased || ')' END
  || ' from ' || to_char(o.term_end AT TIME ZONE 'UTC', 'FMDD Mon YYYY') || ', ordered by ' || o.actor_name
  || coalesce('. ' || o.reason, '.')`

/**
 * Writes down that whoever ordered is to be told by mail, in the transaction of what it tells of; a job sends it. For a
 * key that is its issuer; where they may not change licenses any more, each Admin. Nothing where no mail server is set.
 */
export async function tellWhoOrdered(
  tx: Transaction,
  customerId: CustomerId,
  orderId: string,
  event: RenewalEvent,
): Promise<void> {
  if (!mailSettings()) return
  // By two statements: orders and members may lie on different machines.
  const { rows } = await tx.execute<{ kind: string; actor: string; about: string }>(sql`
    SELECT o.actor_kind AS kind, o.actor_id AS actor, ${ABOUT} AS about
    FROM renewal_orders o
    JOIN assets a ON a.customer_id = ${customerId} AND a.id = o.asset_id
    WHERE o.customer_id = ${customerId} AND o.id = ${orderId}`)
  const [order] = rows
  if (!order) return
  const issuer = sql`(SELECT k.issued_by FROM api_keys k WHERE k.customer_id = ${customerId} AND k.id = ${order.actor})`
  const member = order.kind === 'key' ? sql`coalesce(${issuer}, ${order.actor})` : sql`${order.actor}::text`
  await tx.execute(sql`
    WITH able AS (
      SELECT m.id, m.roles FROM members m
      WHERE m.customer_id = ${customerId} AND m.disabled_at IS NULL AND m.invited_at IS NULL
        AND m.roles && ${sql.param([...ROLES_WITH['licenses-manager']])}::text[]
    )
    INSERT INTO account_mails (customer_id, member_id, event, about)
    SELECT ${customerId}, m.id, ${event}, ${order.about} FROM (SELECT ${member} AS member) t
    JOIN able m ON m.id = t.member
      OR ('admin' = ANY (m.roles) AND NOT EXISTS (SELECT FROM able o WHERE o.id = t.member))`)
}

/**
 * Writes a mail for each order whose term ends soon, once. None for one that was made when that was near already.
 * @returns how many orders
 */
export async function tellOfOrders(_requestId: string, signal: AbortSignal): Promise<number> {
  if (!mailSettings()) return 0
  let count = 0
  for (const customerId of await customersWithNearOrders(TOLD_DAYS)) {
    if (signal.aborted) break
    count += await scope({ customerId }, (tx) => tellOfThose(tx, customerId))
  }
  return count
}

async function tellOfThose(tx: Transaction, customerId: CustomerId): Promise<number> {
  const before = sql`make_interval(days => ${TOLD_DAYS}::int)`
  const { rows } = await tx.execute<{ id: string }>(sql`
    UPDATE renewal_orders SET told_at = now()
    WHERE customer_id = ${customerId} AND state = 'STANDING' AND told_at IS NULL AND taken_back_at IS NULL
      AND term_end BETWEEN now() AND now() + ${before} AND term_end - created_at > ${before}
    RETURNING id`)
  for (const { id } of rows) await tellWhoOrdered(tx, customerId, id, 'renewal-near')
  return rows.length
}
