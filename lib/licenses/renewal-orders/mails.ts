import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { customersWithOrderMails } from '#lib/identity/access/due-work.ts'
import { enqueueAccountMail, type RenewalEvent } from '#lib/identity/access/sign-ins/account-mail.ts'
import { decideBy } from '#lib/licenses/assets/rules.ts'
import { type AssetRow, readAsset } from '#lib/licenses/assets/store.ts'
import { type CustomerId, ROLES_WITH } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { renewalOrders } from '#lib/platform/db/schema/renewals.ts'
import { licenseScope } from '#lib/platform/db/scope.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { orderText } from './rules.ts'
import type { OrderRow } from './store.ts'

/** Before a term ends, the person who ordered something for the next one gets a mail. */
const NEAR_DAYS = 14

/** `Business Plus: 96 licenses from 3 Dec 2026 (now 120), ordered by Ana Ruiz.`, and why that needs a look. */
function aboutText({ name, seatsPurchased }: AssetRow, order: OrderRow, event: RenewalEvent): string {
  const { toQuantity: quantity, renewalType, termEnd, actorName, reason } = order
  const now = quantity === null ? '' : ` (now ${seatsPurchased?.toLocaleString('en')})`
  const withdrawn = order.takenBackByName === null ? '' : `, withdrawn by ${order.takenBackByName}`
  const end = termEnd.getTime()
  const ordered = `${orderText({ quantity, renewalType }, dayText(end))}${now}, ordered by ${actorName}`
  const deadline = event === 'renewal-near' ? `\nLast day to decide: ${dayText(decideBy(end))}.` : ''
  return `${name}: ${ordered}${withdrawn}.${reason === null ? '' : ` ${reason}`}${deadline}`
}

/**
 * Writes a mail about an order to the person who ordered it, in the transaction of its occasion; a job sends it. For a
 * key that is its issuer; where they may not change licenses any more, each Admin. Nothing where no mail server is set.
 */
export async function mailOrderer(
  tx: Transaction,
  customerId: CustomerId,
  order: OrderRow,
  event: RenewalEvent,
) {
  const asset = mailSettings() && (await readAsset(tx, customerId, order.assetId))
  if (!asset) return
  const about = aboutText(asset, order, event)
  const issuer = sql`(SELECT k.issued_by FROM api_keys k WHERE k.customer_id = ${customerId} AND k.id = ${order.actorId})`
  const member =
    order.actorKind === 'key' ? sql`coalesce(${issuer}, ${order.actorId})` : sql`${order.actorId}::text`
  const { rows: members } = await tx.execute<{ id: string }>(sql`
    WITH able AS (
      SELECT m.id, m.roles FROM members m
      WHERE m.customer_id = ${customerId} AND m.disabled_at IS NULL AND m.invited_at IS NULL
        AND m.roles && ${sql.param([...ROLES_WITH['licenses-manager']])}::text[]
    )
    SELECT m.id FROM (SELECT ${member} AS member) t
    JOIN able m ON m.id = t.member
      OR ('admin' = ANY (m.roles) AND NOT EXISTS (SELECT FROM able o WHERE o.id = t.member))`)
  const ids = members.map(({ id }) => id)
  await enqueueAccountMail(tx, customerId, ids, { event, about })
}

const NEAR = sql`make_interval(days => ${NEAR_DAYS}::int)`
/** Occasions of mails, each with its orders and the column of its time. */
const OCCASIONS = {
  // Not of an order that was made when its term's end was near already.
  'renewal-near': {
    set: { toldAt: sql`now()` },
    where: sql`${renewalOrders.state} = 'STANDING' AND ${renewalOrders.toldAt} IS NULL AND ${renewalOrders.takenBackAt} IS NULL
      AND ${renewalOrders.termEnd} BETWEEN now() AND now() + ${NEAR} AND ${renewalOrders.termEnd} - ${renewalOrders.createdAt} > ${NEAR}`,
  },
  'renewal-unclear': {
    set: { reportedAt: sql`now()` },
    where: sql`${renewalOrders.reportedAt} < now() - interval '23 hours'
      AND (${renewalOrders.state} = 'UNCLEAR' OR (${renewalOrders.state} = 'STANDING' AND ${renewalOrders.takenBackAt} IS NOT NULL))`,
  },
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
      count += await licenseScope({ customerId }, async (tx) => {
        const { set, where } = OCCASIONS[event]
        const isDue = and(eq(renewalOrders.customerId, customerId), where)
        const orders = await tx.update(renewalOrders).set(set).where(isDue).returning()
        for (const order of orders) await mailOrderer(tx, customerId, order, event)
        return orders.length
      })
  }
  return count
}
