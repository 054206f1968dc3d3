import 'server-only'
import { log } from '#lib/log.ts'
import type { Observed, Reading, SubscriptionRef, Unavailable } from '../vendor.ts'
import type { GoogleAnswer, GoogleCalls } from './client.ts'
import { refusedWrite, toldBy, unavailable } from './errors.ts'
import { observedOf, pageOf } from './subscription.ts'

type Page = {
  kind: 'page'
  items: Observed[]
  next?: string | undefined
  /** How many more there are that could not be understood. */
  unread: number
}

/** A customer has a handful of subscriptions. */
const MOST_PAGES = 20
const NOT_FOUND = 404

/** Reads one subscription by its id, or by customer and SKU where the id has changed. */
export async function readOne(
  calls: GoogleCalls,
  ref: SubscriptionRef,
  signal: AbortSignal,
): Promise<Reading> {
  const called = await calls.get(ref, signal)
  if (called.kind !== 'answer') return { kind: 'unavailable', reason: called.reason }
  if (called.status === NOT_FOUND && toldBy(called)) return findBySku(calls, ref, signal)
  if (called.status !== 200) return closed(called) ?? unavailable(called)
  const observed = observedOf(called.body)
  // Another subscription under this id would be worse than none.
  if (observed?.skuId !== ref.skuId) return observed ? findBySku(calls, ref, signal) : nonsense()
  return { kind: 'read', observed }
}

/** The customer's subscription of a SKU, by whatever id it has now. */
export async function findBySku(
  calls: GoogleCalls,
  { customerId, skuId }: SubscriptionRef,
  signal: AbortSignal,
): Promise<Reading> {
  const alike: Observed[] = []
  let unread = 0
  let pageToken: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await readPage(calls, { customerId, pageToken }, signal)
    if (page.kind === 'unavailable') return page
    unread += page.unread
    alike.push(...page.items.filter((item) => item.skuId === skuId))
    pageToken = page.next
    if (pageToken === undefined) return alike.length === 0 && unread > 0 ? nonsense() : theOne(alike)
  }
  return unclear('the list of its subscriptions does not end')
}

/** A page of all subscriptions, or of one customer's. Those that make no sense are left out, and logged. */
export async function readPage(
  calls: GoogleCalls,
  of: { customerId?: string; pageToken?: string | undefined },
  signal: AbortSignal,
): Promise<Page | Unavailable> {
  const called = await calls.list(of, signal)
  if (called.kind !== 'answer') return { kind: 'unavailable', reason: called.reason }
  if (called.status !== 200) return unavailable(called)
  const page = pageOf(called.body)
  if (!page || (page.next === of.pageToken && page.next !== undefined)) return nonsense()
  const items = page.resources.map(observedOf).filter((item) => item !== undefined)
  const unread = page.resources.length - items.length
  if (unread > 0) log().warn({ vendor: 'google-workspace', unread }, 'subscriptions were not understood')
  return { kind: 'page', items, next: page.next, unread }
}

/** Of several, one that is in use; where that leaves a choice, it is not ours to make. */
function theOne(alike: Observed[]): Reading {
  if (alike.length === 0) {
    return { kind: 'missing', reason: 'Google has no such subscription of this customer.' }
  }
  const active = alike.filter(({ status }) => status === 'ACTIVE')
  const open = alike.filter(({ status }) => status !== 'CANCELLED')
  const [observed, another] = [active, open, alike].find(({ length }) => length > 0) ?? []
  if (!observed || another) return unclear('it has several subscriptions of this product')
  return { kind: 'read', observed }
}

function unclear(reason: string): Unavailable {
  return {
    kind: 'unavailable',
    reason: `Which subscription of the customer is meant is not clear: ${reason}.`,
    others: 'answer',
  }
}

function nonsense(): Unavailable {
  return { kind: 'unavailable', reason: 'The answer from Google could not be understood.', others: 'answer' }
}

/** A customer that does not let us in (any more): for us, it has no such subscription. */
function closed(called: GoogleAnswer): Reading | undefined {
  const refused = called.status === 403 ? refusedWrite(called) : undefined
  return refused?.kind === 'rejected' ? { kind: 'missing', reason: refused.reason } : undefined
}
