import { type Command, Option } from 'commander'
import { sql } from 'drizzle-orm'
import { costText, happensText, nextCostText } from '#lib/costs/renewals/format.ts'
import { readRenewals } from '#lib/costs/renewals/read.ts'
import { serializeRenewals } from '#lib/costs/renewals/serialize.ts'
import { ordersInNeed } from '#lib/identity/access/due-work.ts'
import { atEndText, decideBy } from '#lib/licenses/assets/rules.ts'
import {
  type OrderInNeed,
  readOrder,
  resendOrderByHand,
  settleOrderByHand,
} from '#lib/licenses/renewal-orders/by-hand.ts'
import { orderText } from '#lib/licenses/renewal-orders/rules.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { auditOf } from '#lib/platform/history/audit.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { checkedText, customerNamed, withDatabase } from '../command.ts'
import { type Cell, note, print, printJson, printRows } from '../terminal.ts'

type Where = { customer?: string }
type Outcome = 'applied' | 'withdrawn' | 'lost'
const STATES = { applied: 'APPLIED', withdrawn: 'WITHDRAWN', lost: 'LOST' } as const
const ID = '7c9be1f0-3a55-4c5e-9a51-2b1f0f3a7d11'

export function addRenewalOrderCommands(parent: Command): void {
  const command = (name: string, description: string, example: string) =>
    parent
      .command(name)
      .description(description)
      .option('--customer <id>', 'id or domain of the customer')
      .addHelpText('after', `\nExample:\n  npm run -s admin -- renewal-orders ${name} ${example}`)

  command('list', 'List the orders that their vendor lacks, or that are unclear, the oldest first.', '')
    .option('--in-need', 'only those that a person has to see to')
    .action(withDatabase(listOrders))
  command('show', 'Show an order, each request to its vendor, and its history.', ID)
    .argument('<id>', 'its id')
    .action(withDatabase(showOrder))
  command(
    'settle',
    'Settle an order by your word, after a look at the vendor.',
    `${ID} --as withdrawn --reason "…"`,
  )
    .argument('<id>', 'its id')
    .addOption(new Option('--as <outcome>', 'its outcome').choices(Object.keys(STATES)).makeOptionMandatory())
    .requiredOption('--reason <text>', 'how you know; the customer reads it')
    .action(withDatabase(resolveOne))
  command(
    'resend',
    'Read the vendor now, and send what it lacks.',
    `${ID} --reason "the customer is waiting"`,
  )
    .argument('<id>', 'its id')
    .requiredOption('--reason <text>', 'reason, shown in the history')
    .action(withDatabase(resendOne))
}

async function listOrders(options: Where & { inNeed?: boolean; json?: boolean }): Promise<void> {
  const { customer, inNeed = false, json = false } = options
  const only = customer === undefined ? undefined : (await customerNamed(customer)).customerId
  const orders: OrderInNeed[] = []
  for (const due of await ordersInNeed()) {
    const one = only === undefined || only === due.customerId ? await readOrder(due) : undefined
    if (one && (!inNeed || one.need)) orders.push(one)
  }
  orders.sort((a, b) => a.order.createdAt.getTime() - b.order.createdAt.getTime())
  printRows(orders.map(rowOf), { json })
  if (orders.length === 0) note('No such order waits for its vendor or for a person.')
}

function rowOf({
  customerId,
  order,
  label,
  place,
  need,
  renewalType: present,
}: OrderInNeed): Record<string, Cell> {
  const { id, assetId, toQuantity, renewalType, state, takenBackAt, termEnd, createdAt, actorName } = order
  return {
    ...{ id, customer: customerId, asset: assetId, vendor: label, account: place?.vendorAccount ?? null },
    ...{ order: orderText({ quantity: toQuantity, renewalType }), state, need: need ?? null },
    ...{ 'taken back': takenBackAt, 'term ends': termEnd, 'decide by': decideBy(termEnd.getTime()) },
    ...{ 'at the vendor now': atEndText(present), since: createdAt, by: actorName },
  }
}

async function showOrder(id: string, { customer, json }: Where & { json?: boolean }): Promise<void> {
  const customerId = await ownerOf(id, customer)
  const details = await readOrder({ customerId, id })
  if (!details) throw notFound(id)
  const { requests, order } = details
  const events = await readScope({ customerId }, (tx) => auditOf(tx, customerId, id))
  const renewal = await renewalOf(customerId, order.assetId)
  if (json)
    return printJson({
      order: rowOf(details),
      location: details.place,
      reason: order.reason,
      renewal: renewal ?? null,
      requests,
      events,
    })
  printRows([rowOf(details)], {})
  if (details.place) {
    const { vendorCustomerId, subscriptionId, skuId } = details.place
    print(`\nAt the vendor: customer ${vendorCustomerId}, subscription ${subscriptionId}, SKU ${skuId}`)
  }
  if (renewal) {
    const cost = renewal.cost ? [`${costText(renewal.cost)} at the last price`] : []
    print(`\n${[happensText(renewal), ...cost, nextCostText(renewal)].filter(Boolean).join('. ')}.`)
  }
  if (order.reason !== null) print(`\n${order.reason}`)
  if (requests.length > 0) print('\nRequests to the vendor, of earlier orders too:')
  const setting = (quantity: number | null, type: string | null) =>
    type ?? (quantity === null ? 'nothing' : `${quantity}`)
  printRows(
    requests.map((one) => ({
      ...{ request: String(one.number), 'at (UTC)': secondOf(one.at) },
      ...{ sent: setting(one.quantity, one.renewalType), for: one.isWithdrawal ? 'withdrawal' : 'order' },
      ...{ before: setting(one.beforeQuantity, one.beforeType), answer: one.kind },
      'shown after': one.shownAt && setting(one.shownQuantity, one.shownType),
      ...{ 'may arrive until': one.lateUntil, took: one.tookMs === null ? null : `${one.tookMs} ms` },
      ...{ 'our id': one.requestId, 'vendor’s id': one.vendorRequestId, reason: one.reason },
    })),
    {},
  )
  print('\nHistory:')
  printRows(
    events.map(({ at, action, actorName: by, reason }) => ({ 'at (UTC)': secondOf(at), action, by, reason })),
    {},
  )
}

/** Returns an asset's renewal with its costs, as an Admin of the customer sees it; undefined after its term. */
async function renewalOf(customerId: CustomerId, assetId: string) {
  const profiles = await readScope({ customerId }, (tx) =>
    tx.execute<{ id: string }>(sql`SELECT id FROM billing_profiles WHERE customer_id = ${customerId}`),
  )
  const who = { customerId, roles: ['admin' as const], billingProfiles: profiles.rows.map(({ id }) => id) }
  const { renewals } = serializeRenewals(await readRenewals(who), {}, env().baseUrl)
  return renewals.find(({ asset }) => asset.id === assetId)
}

async function resolveOne(id: string, options: Where & { as: Outcome; reason: string }): Promise<void> {
  const customerId = await ownerOf(id, options.customer)
  const reason = checkedText('reason', options.reason, 500)
  const { assetId } = await settleOrderByHand(customerId, id, { as: STATES[options.as], reason })
  note(`${id} is settled as ${options.as}: ${assetId}.`)
}

async function resendOne(id: string, options: Where & { reason: string }): Promise<void> {
  const customerId = await ownerOf(id, options.customer)
  const { order, sent } = await resendOrderByHand(customerId, id, checkedText('reason', options.reason, 500))
  note(
    `${id} ${sent ? 'was sent again' : 'was not sent again'}: it is ${order.state} now (${order.assetId}).`,
  )
  if (order.reason !== null) note(order.reason)
}

function secondOf(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ')
}

/** Returns whose order it is: those that wait are found without the customer. */
async function ownerOf(id: string, customer: string | undefined): Promise<CustomerId> {
  if (customer !== undefined) return (await customerNamed(customer)).customerId
  const match = (await ordersInNeed()).find((order) => order.id === id)
  if (!match) throw notFound(id)
  return match.customerId
}

function notFound(id: string): Problem {
  return new Problem('not_found', `No renewal order ${id} waits. For any other one, give --customer.`)
}
