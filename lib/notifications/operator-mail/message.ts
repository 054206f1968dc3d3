import 'server-only'
import type { UnresolvedChange } from '#lib/licenses/license-changes/settle-by-hand.ts'
import type { OrderInNeed } from '#lib/licenses/renewal-orders/by-hand.ts'
import { orderText } from '#lib/licenses/renewal-orders/rules.ts'
import type { Message } from '#lib/platform/mail/mailer.ts'
import { oneLine } from '#lib/platform/values/text.ts'

/** Largest number of named items; the mail counts the others. */
const MAX_NAMED = 50

/** Returns the plain-text mail about changes and renewal orders that need a person, with the commands for them. */
export function messageOf(
  unresolved: readonly UnresolvedChange[],
  orders: readonly OrderInNeed[] = [],
): Message {
  const changes = unresolved.toSorted((a, b) => b.age - a.age)
  const unclear = changes.filter(({ change }) => change.state === 'UNCLEAR')
  const open = changes.filter(({ change }) => change.state !== 'UNCLEAR')
  const counts = [
    ...(open.length > 0 ? [`${open.length} open for too long`] : []),
    ...(unclear.length > 0 ? [`${unclear.length} unclear`] : []),
  ]
  const subjects = [
    ...(changes.length > 0 ? [`Changes of licenses: ${counts.join(', ')}`] : []),
    ...(orders.length > 0 ? [`Renewal orders: ${orders.length}`] : []),
  ]
  const text = [
    ...section(
      'Changes of licenses that do not end by themselves:',
      'changes',
      [...open, ...unclear].map(textOf),
    ),
    ...section('Renewal orders that need a look:', 'renewal-orders', orders.map(orderLines)),
    '-- \nEach is told once a day, until it is settled. The commands are run where the console is set up.',
  ]
  return { subject: subjects.join('; '), text: `${text.join('\n\n')}\n` }
}

function section(title: string, group: string, items: readonly string[]): string[] {
  if (items.length === 0) return []
  const more = items.length - MAX_NAMED
  const rest = more > 0 ? [`And ${more} more:\n  npm run -s admin -- ${group} list`] : []
  return [title, ...items.slice(0, MAX_NAMED), ...rest]
}

function orderLines({ customerId, order, label, place, need }: OrderInNeed): string {
  const { id, assetId, toQuantity, renewalType, termEnd, actorName, takenBackByName, reason } = order
  const run = (words: string) => `npm run -s admin -- renewal-orders ${words}`
  const withdrawn = takenBackByName === null ? '' : `, withdrawn by ${oneLine(takenBackByName)}`
  return [
    `* ${label}, customer ${customerId}: ${assetId}, ${orderText({ quantity: toQuantity, renewalType }, minuteOf(termEnd))}`,
    `  Order ${id}, ${need}`,
    ...(place ? [`  There: ${locationText(place)}`] : []),
    `  Ordered by ${oneLine(actorName)}${withdrawn}`,
    ...(reason === null ? [] : [`  ${oneLine(reason)}`]),
    `  Look:        ${run(`show ${id}`)}`,
    ...(need === 'unclear' ? [] : [`  Send again:  ${run(`resend ${id} --reason "…"`)}`]),
    `  Settle:      ${run(`settle ${id} --as applied --reason "…"`)}`,
    `          or:  ${run(`settle ${id} --as withdrawn --reason "…"`)}`,
  ].join('\n')
}

function textOf({ customerId, change, vendor, location, isRepeatable }: UnresolvedChange): string {
  const { id, assetId, fromQuantity, toQuantity, state, createdAt, settledAt, vendorReason } = change
  const isUnclear = state === 'UNCLEAR'
  const since = isUnclear && settledAt ? `, unclear since ${minuteOf(settledAt)}` : ''
  const run = (command: string) => `npm run -s admin -- changes ${command}`
  return [
    `* ${vendor.label}, customer ${customerId}: ${assetId}, from ${fromQuantity} to ${toQuantity}`,
    `  Change ${id}, ${state}`,
    ...(location ? [`  There: ${locationText(location)}`] : []),
    `  Asked for by ${oneLine(change.actorName)} at ${minuteOf(createdAt)}${since}`,
    ...(vendorReason === null ? [] : [`  ${oneLine(vendorReason)}`]),
    `  Look:        ${run(`show ${id}`)}`,
    ...(isRepeatable ? [`  Send again:  ${run(`resend ${id} --reason "…"`)}`] : []),
    `  Settle:      ${run(`settle ${id} --as applied --reason "…"`)}`,
    `          or:  ${run(`settle ${id} --as failed --reason "…"`)}`,
  ].join('\n')
}

/** Returns the account, customer and subscription to look up in the vendor's console. */
function locationText({
  vendorAccount,
  vendorCustomerId,
  subscriptionId,
}: NonNullable<UnresolvedChange['location']>): string {
  return oneLine(`account ${vendorAccount}, customer ${vendorCustomerId}, subscription ${subscriptionId}`)
}

function minuteOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
