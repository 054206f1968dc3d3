import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { type DueChange, type DueOrder, openChanges, ordersInNeed } from '#lib/identity/access/due-work.ts'
import { readUnresolved, type UnresolvedChange } from '#lib/licenses/license-changes/settle-by-hand.ts'
import { type OrderInNeed, readOrder } from '#lib/licenses/renewal-orders/by-hand.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import type { MailKind } from '#lib/platform/outbox/mail.ts'
import { enqueue, NO_CUSTOMER } from '#lib/platform/outbox/store.ts'
import { forEach } from '#lib/platform/runtime/concurrency.ts'
import { messageOf } from './message.ts'
import { operatorSettings } from './settings.ts'

/** Changes and orders of a mail, which is rendered when it is sent. */
type Content = { changes: DueChange[]; orders: DueOrder[] }

/** Mail to an operator: see `notifyOperators`. Obsolete when all of its changes and orders are settled. */
export const operatorMail: MailKind = {
  ...{ kind: 'operator', retrySeconds: 10 * 60, usefulSeconds: 86_400 },
  async render(_, { recipient, content }) {
    const { changes, orders } = content as Content
    const [overdue, inNeed] = [await overdueChanges(changes), await ordersForPerson(orders)]
    if (overdue.length + inNeed.length === 0) return undefined
    return { to: recipient, mail: messageOf(overdue, inNeed) }
  },
  outcomeOf(delivery) {
    if (delivery.kind !== 'refused' || delivery.address) return undefined
    return { state: 'WAITING', reason: delivery.reason, retrySeconds: 10 * 60 }
  },
}

/**
 * Writes mails to the operators about changes and renewal orders that need a person: changes that are unclear, or open
 * for longer than their vendor may be late; orders that are unclear, or that their vendor lacks for too long, or should
 * not have any more. Each is mailed at most once a day. Nothing is written without such items, a mail server or an
 * operator. Safe to run in several processes concurrently.
 * @returns the number of changes and orders
 */
export async function notifyOperators(_requestId: string, signal: AbortSignal): Promise<number> {
  const operators = operatorSettings()
  if (!mailSettings() || operators.length === 0 || signal.aborted) return 0
  const changes = await claimed(CHANGES, await overdueChanges(await openChanges()))
  const orders = await claimed(ORDERS, await ordersForPerson(await ordersInNeed()))
  const count = changes.length + orders.length
  if (count === 0) return 0
  const content: Content = {
    changes: changes.map(({ customerId, change }) => ({ customerId, changeId: change.id })),
    orders: orders.map(({ customerId, order }) => ({ customerId, id: order.id, assetId: order.assetId })),
  }
  const messages = operators.map((recipient) => ({ kind: operatorMail.kind, recipient, content }))
  await scope({ customerId: NO_CUSTOMER }, (tx) => enqueue(tx, NO_CUSTOMER, messages), EVEN_IF_CLOSED)
  return count
}

/** An unclear item stays unclear when its customer is closed. */
const EVEN_IF_CLOSED = { evenIfClosed: true }

async function overdueChanges(due: readonly DueChange[]): Promise<UnresolvedChange[]> {
  const changes = await forEach(due, readUnresolved)
  return changes.flatMap((one) => (one?.isOverdue ? [one] : []))
}

async function ordersForPerson(due: readonly DueOrder[]): Promise<OrderInNeed[]> {
  const orders = await forEach(due, readOrder)
  return orders.flatMap((one) => (one?.need ? [one] : []))
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
 * Claims rows whose mail is due, before the mail is written: of two processes that find the same rows, one gets each. A
 * process that dies in between has mailed no operator until the next day.
 */
async function claimed<Item extends { customerId: CustomerId }>(
  { table, isUnresolved, idOf }: Source<Item>,
  items: readonly Item[],
): Promise<Item[]> {
  const mine = new Set<string>()
  for (const [customerId, customerItems] of Map.groupBy(items, (item) => item.customerId)) {
    const ids = sql.param(customerItems.map(idOf))
    const claim = (tx: Transaction) =>
      tx.execute<{ id: string }>(sql`
        UPDATE ${table} SET operator_told_at = now()
        WHERE customer_id = ${customerId} AND id = ANY (${ids}::text[]) AND ${isUnresolved} AND ${IS_DUE} RETURNING id`)
    const { rows } = await scope({ customerId }, claim, EVEN_IF_CLOSED)
    for (const { id } of rows) mine.add(id)
  }
  return items.filter((item) => mine.has(idOf(item)))
}
