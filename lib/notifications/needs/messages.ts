import { nextCostText } from '#lib/costs/renewals/format.ts'
import { atItsEnd } from '#lib/licenses/assets/rules.ts'
import { daysText, dayText } from '#lib/platform/values/days.ts'
import { moneyText } from '#lib/platform/values/money.ts'
import type { Need } from './contract.ts'
import type { NeedKind } from './rules.ts'

/** A line in words, the same on screen and in a mail. */
export type NeedText = {
  /** Subject of the item: a company, an asset, an invoice. */
  title: string
  /** The figure that matters, such as `2,480.00 USD` or `58 idle licenses`. */
  headline: string
  /** Further facts about the item. */
  details: string[]
  /** Label of the item's link: `Lower to 182`. */
  act: string
  /** Path of the link in the console. */
  path: string
}

/** Headings of the kinds. */
export const KIND_NAMES: Record<NeedKind, string> = {
  'past-due': 'Past due',
  change: 'License changes',
  renewal: 'Renewals in the next 90 days',
  idle: 'Unused licenses you can remove now',
  'nearly-full': 'Nearly full',
  'unmatched-lines': 'Billed differently than expected',
}

/** Checks made, by kind, for callers without any item. */
export const LOOKED_AT: Record<NeedKind, string> = {
  'past-due': 'invoices that are past due',
  change: 'license changes that failed or are unconfirmed',
  renewal: 'commitments that end within 90 days',
  idle: 'flexible plans with licenses that are unused for 60 days or more',
  'nearly-full': 'plans that fill up within 30 days',
  'unmatched-lines': 'lines of the newest invoices that don’t match your licenses',
}

export function describeNeed(need: Need): NeedText {
  const { asset, pastDue, change, renewal, idle, nearlyFull, unmatchedLines } = need
  if (pastDue) return describePastDue(pastDue)
  if (unmatchedLines) return describeUnmatched(unmatchedLines)
  const page = `/assets/${encodeURIComponent(asset?.id ?? '')}`
  const title = asset?.name ?? ''
  if (change) return { title, ...describeChange(change), path: page }
  if (renewal) return { title, ...describeRenewal(renewal), path: page }
  if (idle) return { title, ...describeIdle(idle), path: `${page}?set=${idle.lowerTo}` }
  return { title, ...describeFull(nearlyFull), path: page }
}

type Part<Name extends keyof Need> = NonNullable<Need[Name]>
type OfAsset = Omit<NeedText, 'title' | 'path'>

function describePastDue({
  billingProfile,
  count,
  amount,
  currency,
  dueDate,
  days,
}: Part<'pastDue'>): NeedText {
  const filter = `status:PAST DUE|billingProfile:${billingProfile.id}|currency:${currency}`
  return {
    title: billingProfile.name,
    headline: moneyText(amount, currency),
    details: [`${countOf(count, 'invoice')} past due · oldest ${daysText(days)} (due ${dayText(dueDate)})`],
    act: count === 1 ? 'Show the invoice' : `Show ${count.toLocaleString('en')} invoices`,
    path: `/invoices?filter=${encodeURIComponent(filter).replaceAll('%3A', ':')}`,
  }
}

const OUTCOMES: Record<Part<'change'>['outcome'], { detail: string; act: string }> = {
  confirming: { detail: 'The vendor has not confirmed it yet', act: 'View status' },
  unclear: { detail: 'We couldn’t confirm whether the vendor made it', act: 'Check' },
  refused: { detail: 'Not made', act: 'View reason' },
}

function describeChange({ outcome, from, to, reason, time }: Part<'change'>): OfAsset {
  const { detail, act } = OUTCOMES[outcome]
  const reasonText = outcome !== 'confirming' && reason ? `${detail}: ${reason}` : detail
  const headline = `${from.toLocaleString('en')} → ${countOf(to, 'license')}`
  return { headline, details: [reasonText, `Requested on ${dayText(time)}`], act }
}

function describeRenewal({ time, days, purchased, idle, cost, ...more }: Part<'renewal'>): OfAsset {
  const { renewalType, scheduledTotal } = more
  const next = nextCostText(more)
  const { verb, how } = renewalType ? atItsEnd(renewalType) : { verb: 'Commitment ends' }
  const when = days === 0 ? 'today' : `in ${daysText(days)}`
  const then =
    scheduledTotal === undefined
      ? how && `${verb} ${how}`
      : `The vendor sets ${countOf(scheduledTotal, 'license')} then`
  const unused = idle === 0 ? 'all assigned' : `${idle.toLocaleString('en')} unassigned${costText(cost)}`
  return {
    headline: `${verb} ${when}`,
    details: [
      `On ${dayText(time)}: ${countOf(purchased, 'license')}, ${unused}`,
      ...(then ? [then] : []),
      `Decide by ${dayText(more.decideBy)}`,
      ...(next ? [next] : []),
    ],
    act: 'Review licenses',
  }
}

function describeIdle({ count, purchased, lowerTo, cost }: Part<'idle'>): OfAsset {
  return {
    headline: cost ? costAmount(cost) : `${count.toLocaleString('en')} unused`,
    details: [
      `${count.toLocaleString('en')} of ${countOf(purchased, 'license')} unused for 60 days or more${cost ? ', at the last price' : ''}`,
    ],
    act: `Lower to ${lowerTo.toLocaleString('en')}`,
  }
}

function describeFull(full: Need['nearlyFull']): OfAsset {
  const { purchased = 0, assigned = 0, days = 0 } = full ?? {}
  const free = Math.max(0, purchased - assigned)
  return {
    headline: free === 0 ? 'No licenses left' : `${free.toLocaleString('en')} free`,
    details: [
      `${assigned.toLocaleString('en')} of ${countOf(purchased, 'license')} assigned; ${free === 0 ? 'more were assigned in the last 90 days' : `at the pace of the last 90 days it is full in ${daysText(days)}`}`,
    ],
    act: 'Add licenses',
  }
}

function describeUnmatched({ invoice, count, amount, currency }: Part<'unmatchedLines'>): NeedText {
  const headline = amount === 0 ? countOf(count, 'line') : `${moneyText(Math.abs(amount), currency)}`
  const beyond = amount > 0 ? 'more than' : amount < 0 ? 'less than' : 'other than'
  return {
    title: invoice.number,
    headline,
    details: [
      `${countOf(count, 'line')} ${count === 1 ? 'bills' : 'bill'} ${beyond} your licenses, invoice of ${dayText(invoice.day)}`,
    ],
    act: count === 1 ? 'Show the line' : 'Show the lines',
    path: `/invoices/${encodeURIComponent(invoice.id)}`,
  }
}

type Cost = NonNullable<Part<'idle'>['cost']>

function costAmount({ amount, currency, isMonthly }: Cost): string {
  return `${moneyText(amount, currency)} ${isMonthly ? 'a month' : 'per billing period'}`
}

function costText(cost: Cost | undefined): string {
  return cost ? `, ${costAmount(cost)} at the last price` : ''
}

function countOf(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
}
