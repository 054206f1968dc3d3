import 'server-only'
import { randomUUID } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { openChanges, ordersInNeed } from '#lib/identity/access/due-work.ts'
import { readUnresolved, type UnresolvedChange } from '#lib/licenses/license-changes/settle-by-hand.ts'
import { type OrderInNeed, readOrder } from '#lib/licenses/renewal-orders/by-hand.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type Delivery, deliver, type Message } from '#lib/platform/mail/mailer.ts'
import { type MailConfig, mailSettings } from '#lib/platform/mail/settings.ts'
import { forEach } from '#lib/platform/runtime/concurrency.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { messageOf } from './message.ts'
import { operatorSettings } from './settings.ts'

/**
 * Mails the operators about changes and renewal orders that need a person: changes that are unclear, or open for longer
 * than their vendor may be late; orders that are unclear, or that their vendor lacks for too long, or should not have
 * any more. Each is mailed at most once a day. Nothing is sent without such items, a mail server or an operator. Safe
 * to run in several processes concurrently.
 * @returns the number of changes and orders
 * @throws Error where no operator could be reached: the next run tries again
 */
export async function notifyOperators(requestId: string, signal: AbortSignal): Promise<number> {
  const mail = mailSettings()
  const operators = operatorSettings()
  if (!mail || operators.length === 0 || signal.aborted) return 0
  const changes = await claimed(CHANGES, await overdueChanges())
  const orders = await claimed(ORDERS, await ordersForPerson())
  const count = changes.length + orders.length
  if (count === 0) return 0
  const message = messageOf(changes, orders)
  const failure = await send(mail, message, requestId).catch((error: unknown) => String(error))
  if (failure === undefined) return count
  await giveBack(CHANGES, changes)
  await giveBack(ORDERS, orders)
  throw new Error(`The operators could not be told: ${failure}`)
}

/** An unclear item stays unclear when its customer is closed. */
const EVEN_IF_CLOSED = { evenIfClosed: true }

async function overdueChanges(): Promise<UnresolvedChange[]> {
  const overdue: UnresolvedChange[] = []
  await forEach(await openChanges(), async (due) => {
    const one = await readUnresolved(due)
    if (one?.isOverdue) overdue.push(one)
  })
  return overdue
}

async function ordersForPerson(): Promise<OrderInNeed[]> {
  const inNeed: OrderInNeed[] = []
  await forEach(await ordersInNeed(), async (due) => {
    const one = await readOrder(due)
    if (one?.need) inNeed.push(one)
  })
  return inNeed
}

/** @returns why no operator was notified; undefined where one was, or may have been */
async function send(mail: MailConfig, message: Message, requestId: string): Promise<string | undefined> {
  const id = `operator.${randomUUID()}`
  const ends: Delivery[] = []
  for (const to of operatorSettings()) ends.push(await deliver(mail, to, message, id))
  const failed = ends.flatMap((end) => ('reason' in end ? [end] : []))
  for (const { kind, reason } of failed) log().warn({ requestId, kind, reason }, 'operator not told')
  const wasSent = ends.some(({ kind }) => kind === 'sent' || kind === 'unknown')
  return wasSent ? undefined : failed.map(({ reason }) => reason).join('; ')
}

/** Table whose rows store the time of the last mail to operators; settled rows stay as they are. */
type Source<Item> = { table: SQL; isUnresolved: SQL; idOf(item: Item): string }

const CHANGES: Source<UnresolvedChange> = {
  table: sql`license_changes`,
  isUnresolved: sql`state IN ('CLAIMED', 'SENT', 'UNKNOWN', 'UNCLEAR')`,
  idOf: ({ change }) => change.id,
}
const ORDERS: Source<OrderInNeed> = {
  table: sql`renewal_orders`,
  isUnresolved: sql`state IN ('STANDING', 'UNCLEAR')`,
  idOf: (item) => item.order.id,
}

/** Due items go into one mail, early in the day, except those mailed less than a day before, or nearly. */
const IS_DUE = sql`(operator_told_at IS NULL OR operator_told_at < least(now() - interval '20 hours',
  date_trunc('day', now() - interval '6 hours') + interval '6 hours'))`

/**
 * Claims rows whose mail is due, before the mail is sent: of two processes that find the same rows, one gets each. A
 * process that dies after the claim has mailed no operator until the next day: a missed mail is better than an endless
 * repetition.
 */
async function claimed<Item extends { customerId: CustomerId }>(
  source: Source<Item>,
  items: readonly Item[],
): Promise<Item[]> {
  const mine = new Set(await write(source, items, sql`now()`, sql`AND ${IS_DUE}`))
  return items.filter((item) => mine.has(source.idOf(item)))
}

/** Gives rows back about which surely no mail has left. */
async function giveBack<Item extends { customerId: CustomerId }>(
  source: Source<Item>,
  items: readonly Item[],
) {
  await write(source, items, sql`NULL`, sql``)
}

/** @returns the ids of the rows that were written */
async function write<Item extends { customerId: CustomerId }>(
  { table, isUnresolved, idOf }: Source<Item>,
  items: readonly Item[],
  time: SQL,
  only: SQL,
): Promise<string[]> {
  const written: string[] = []
  for (const [customerId, customerItems] of Map.groupBy(items, (item) => item.customerId)) {
    const ids = sql.param(customerItems.map(idOf))
    const { rows } = await scope(
      { customerId },
      (tx) =>
        tx.execute<{ id: string }>(sql`UPDATE ${table} SET operator_told_at = ${time}
          WHERE customer_id = ${customerId} AND id = ANY (${ids}::text[]) AND ${isUnresolved} ${only} RETURNING id`),
      EVEN_IF_CLOSED,
    )
    written.push(...rows.map(({ id }) => id))
  }
  return written
}
