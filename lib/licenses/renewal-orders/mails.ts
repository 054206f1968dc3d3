import 'server-only'
import { sql } from 'drizzle-orm'
import { customersWithOrderMails } from '#lib/identity/access/due-work.ts'
import { enqueueAccountMail, type RenewalEvent } from '#lib/identity/access/sign-ins/account-mail.ts'
import { decideBy } from '#lib/licenses/assets/rules.ts'
import { type CustomerId, ROLES_WITH } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { endActionOf, orderText } from './rules.ts'

/** Before a term ends, the person who ordered something for the next one gets a mail. */
const NEAR_DAYS = 14

type Mailed = {
  name: string
  now: number
  quantity: number | null
  type: string | null
  end: number
} & Record<'kind' | 'actor' | 'by' | 'event', string> &
  Record<'withdrawnBy' | 'reason', string | null>

/** `Business Plus: 96 licenses (now 120) from 3 Dec 2026, ordered by Ana Ruiz.`, and why that needs a look. */
function aboutText({ name, now, quantity, type, end, by, withdrawnBy, reason, event }: Mailed): string {
  const today = quantity === null ? '' : ` (now ${now.toLocaleString('en')})`
  const when = endActionOf(type) ? 'on' : 'from'
  const withdrawn = withdrawnBy === null ? '' : `, taken back by ${withdrawnBy}`
  const order = `${name}: ${orderText({ quantity, renewalType: type })}${today} ${when} ${dayText(end)}`
  const deadline = event === 'renewal-near' ? `\nLast day to decide: ${dayText(decideBy(end))}.` : ''
  return `${order}, ordered by ${by}${withdrawn}.${reason === null ? '' : ` ${reason}`}${deadline}`
}

/**
 * Writes a mail about an order to the person who ordered it, in the transaction of its occasion; a job sends it. For a
 * key that is its issuer; where they may not change licenses any more, each Admin. Nothing where no mail server is set.
 */
export async function mailOrderer(
  tx: Transaction,
  customerId: CustomerId,
  orderId: string,
  event: RenewalEvent,
): Promise<void> {
  if (!mailSettings()) return
  // By two statements: orders and members may lie on different machines.
  const { rows } = await tx.execute<Omit<Mailed, 'event'>>(sql`
    SELECT o.actor_kind AS kind, o.actor_id AS actor, o.actor_name AS by, o.taken_back_by_name AS "withdrawnBy", o.reason,
      o.to_quantity AS quantity, o.renewal_type AS type, a.name, a.seats_purchased AS now,
      floor(extract(epoch FROM o.term_end) * 1000)::float8 AS end
    FROM renewal_orders o
    JOIN assets a ON a.customer_id = ${customerId} AND a.id = o.asset_id
    WHERE o.customer_id = ${customerId} AND o.id = ${orderId}`)
  const [order] = rows
  if (!order) return
  const about = aboutText({ ...order, event })
  const issuer = sql`(SELECT k.issued_by FROM api_keys k WHERE k.customer_id = ${customerId} AND k.id = ${order.actor})`
  const member = order.kind === 'key' ? sql`coalesce(${issuer}, ${order.actor})` : sql`${order.actor}::text`
  const { rows: members } = await tx.execute<{ id: string }>(sql`
    WITH able AS (
      SELECT m.id, m.roles FROM members m
      WHERE m.customer_id = ${customerId} AND m.disabled_at IS NULL AND m.invited_at IS NULL
        AND m.roles && ${sql.param([...ROLES_WITH['licenses-manager']])}::text[]
    )
    SELECT m.id FROM (SELECT ${member} AS member) t
    JOIN able m ON m.id = t.member
      OR ('admin' = ANY (m.roles) AND NOT EXISTS (SELECT FROM able o WHERE o.id = t.member))`)
  await enqueueAccountMail(
    tx,
    customerId,
    members.map(({ id }) => id),
    { event, about },
  )
}

const NEAR = sql`make_interval(days => ${NEAR_DAYS}::int)`
/** Occasions of mails, each with the column of its time. */
const OCCASIONS = {
  // Not of an order that was made when its term's end was near already.
  'renewal-near': sql`told_at = now() WHERE state = 'STANDING' AND told_at IS NULL AND taken_back_at IS NULL
    AND term_end BETWEEN now() AND now() + ${NEAR} AND term_end - created_at > ${NEAR}`,
  'renewal-unclear': sql`reported_at = now() WHERE reported_at < now() - interval '23 hours'
    AND (state = 'UNCLEAR' OR (state = 'STANDING' AND taken_back_at IS NOT NULL))`,
}

/**
 * Writes the mails of the hour: once for each order whose term ends soon, and each day for an order that is unclear or
 * could not be taken back.
 * @returns the number of orders
 */
export async function mailOrders(_requestId: string, signal: AbortSignal): Promise<number> {
  if (!mailSettings()) return 0
  let count = 0
  for (const customerId of await customersWithOrderMails(NEAR_DAYS)) {
    if (signal.aborted) break
    for (const event of ['renewal-near', 'renewal-unclear'] as const)
      count += await scope({ customerId }, async (tx) => {
        const { rows } = await tx.execute<{ id: string }>(
          sql`UPDATE renewal_orders SET ${OCCASIONS[event]} AND customer_id = ${customerId} RETURNING id`,
        )
        for (const { id } of rows) await mailOrderer(tx, customerId, id, event)
        return rows.length
      })
  }
  return count
}
