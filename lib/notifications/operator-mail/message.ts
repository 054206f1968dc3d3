import 'server-only'
import type { UnresolvedChange } from '#lib/licenses/license-changes/by-hand.ts'
import type { Message } from '#lib/platform/mail/mailer.ts'
import { oneLine } from '#lib/vendors/client.ts'

/** So many are named: of more, the others are told as a number. */
const MAX_NAMED = 50

/** A mail that tells operators of changes that somebody should look at, with the commands for that; text alone. */
export function messageOf(unresolved: readonly UnresolvedChange[]): Message {
  const changes = unresolved.toSorted((a, b) => b.age - a.age)
  const unclear = changes.filter(({ change }) => change.state === 'UNCLEAR')
  const open = changes.filter(({ change }) => change.state !== 'UNCLEAR')
  const counts = [
    ...(open.length > 0 ? [`${open.length} open for too long`] : []),
    ...(unclear.length > 0 ? [`${unclear.length} unclear`] : []),
  ]
  const named = [...open, ...unclear].slice(0, MAX_NAMED)
  const more = changes.length - named.length
  const text = [
    'Changes of licenses that do not end by themselves:',
    ...named.map(textOf),
    ...(more > 0 ? [`And ${more} more:\n  npm run -s admin -- changes list`] : []),
    '-- \nEach is told once a day, until it is settled. The commands are run where the console is set up.',
  ]
  return {
    subject: `Changes of licenses: ${counts.join(', ')}`,
    text: `${text.join('\n\n')}\n`,
    // RFC 3834: nobody's absence note is for us.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
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

/** What to look for in the vendor's own console. */
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
