import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { endPass, openPass, type Pass, pausePass, saveCursor } from '#lib/licenses/vendor-passes/passes.ts'
import {
  claimDue,
  findTracked,
  makeMissedDue,
  noteUnchanged,
  type TrackedSubscription,
} from '#lib/licenses/vendor-passes/subscriptions.ts'
import { observationOf } from '#lib/licenses/vendor-subscriptions.ts'
import { log } from '#lib/platform/runtime/log.ts'
import type { Account } from '#lib/vendors/accounts.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Observed, RemoteVendor, StaleCursor, Unavailable } from '#lib/vendors/vendor.ts'
import { forEach } from './for-each.ts'
import { applyObservation, readOne } from './read.ts'

/** A page of a hundred takes longer than one subscription. */
const PAGE_TIME_FACTOR = 5
/** A run of the job goes on for so long at most, in milliseconds; the next one takes it up where it was. */
const MAX_RUN_MS = 5 * 60_000
/** Seconds for which a run waits until jobs may call again; where it takes longer, it ends. */
const MAX_WAIT_SECONDS = 15
/** Seconds until a page is asked for again that failed, where the vendor doesn't say. */
const FAILED_WAIT = 60
/** Seconds until a list begins anew whose place its vendor no longer knows. */
const STALE_WAIT = 600
/** Of those that a pass missed, so many are read by themselves: a list that leaves out more is wrong itself. */
const MAX_MISSED = 100

/**
 * Goes through the list of an account's subscriptions, page by page, where it is time for it: from where the last run
 * has left it, by whichever process. Between pages, what is due is read by itself.
 * @returns how many assets were told of
 * @throws Error where a page could not be read: it is asked for again later, and nothing is read one by one for it
 */
export async function readList(
  vendor: RemoteVendor,
  requestId: string,
  signal: AbortSignal,
): Promise<number> {
  const account = accountOf(vendor)
  const pass = await openPass(account)
  if (!pass) return 0
  const end = performance.now() + MAX_RUN_MS
  const { failed } = pass
  let count = 0
  for (let cursor: string | undefined = pass.cursor ?? undefined; ; ) {
    if (!(await mayGoOn(vendor, end, signal))) return count
    const page = await vendor.list(cursor, AbortSignal.any([signal, timeOfPage()]))
    if (signal.aborted) return count
    if (page.kind !== 'page') throw await paused(vendor, pass, page)
    count += await applyPage(vendor, page.items, requestId)
    failed.push(...page.failed)
    cursor = page.next
    if (cursor === undefined) return count + (await finish(vendor, pass, requestId, signal))
    if (!(await saveCursor(account, pass, cursor, page.failed))) return count
    count += await readDue(vendor, requestId, signal)
  }
}

/** Lets the pass rest, and begin anew where its place is gone. @returns the error that says why */
async function paused(vendor: RemoteVendor, pass: Pass, page: StaleCursor | Unavailable): Promise<Error> {
  const isRestart = page.kind === 'stale'
  const wait = page.kind === 'stale' ? STALE_WAIT : (page.retryAfter ?? FAILED_WAIT)
  await pausePass(accountOf(vendor), pass, wait, { isRestart })
  return new Error(`${vendor.label} (${vendor.account}) could not be read: ${page.reason}`)
}

function timeOfPage(): AbortSignal {
  return AbortSignal.timeout(vendorTimes().readMs * PAGE_TIME_FACTOR)
}

/** Waits until jobs may call the vendor, for a while; false where this run has to end. */
async function mayGoOn(vendor: RemoteVendor, end: number, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    if (signal.aborted || performance.now() > end) return false
    const seconds = await vendor.secondsUntilAvailable()
    if (seconds === 0) return true
    if (seconds > MAX_WAIT_SECONDS) return false
    await pause(seconds * 1000, undefined, { signal }).catch(() => {})
  }
}

/** The end of a list: what it did not come to is read by itself, as far as that is not the list's own fault. */
async function finish(
  vendor: RemoteVendor,
  pass: Pass,
  requestId: string,
  signal: AbortSignal,
): Promise<number> {
  const { beganAt, failed } = pass
  const account = accountOf(vendor)
  const missed = await makeMissedDue(account, beganAt, failed, MAX_MISSED)
  await endPass(account, pass)
  const logFields = { ...account, requestId, missed, failedCustomers: failed.length }
  if (missed > MAX_MISSED || failed.length > 0) log().warn(logFields, 'vendor’s list: some are left out')
  return readDue(vendor, requestId, signal)
}

/**
 * Takes over what a page of a vendor's list tells of subscriptions that we have. Those of which it tells what it told
 * before are noted in one statement; each of the others is a transaction.
 * @returns how many were told of
 */
async function applyPage(
  vendor: RemoteVendor,
  items: readonly Observed[],
  requestId: string,
): Promise<number> {
  const pairs = await matched(vendor, items)
  const isUnchanged = ([tracked, observed]: Pair) => tracked.observation === observationOf(observed)
  await noteUnchanged(pairs.filter(isUnchanged).map(([tracked]) => tracked))
  await forEach(
    pairs.filter((pair) => !isUnchanged(pair)),
    ([tracked, observed]) => applyObservation(vendor, tracked, observed, requestId),
  )
  return pairs.length
}

type Pair = [TrackedSubscription, Observed]

async function matched(vendor: RemoteVendor, items: readonly Observed[]): Promise<Pair[]> {
  const named = items.map(({ customerId, ...item }) => ({ ...item, vendorCustomerId: customerId }))
  const trackedByName = Map.groupBy(await findTracked(accountOf(vendor), named), nameOf)
  return items.flatMap((observed) => {
    const { customerId: vendorCustomerId, subscriptionId } = observed
    const alike = trackedByName.get(nameOf({ vendorCustomerId, subscriptionId })) ?? []
    const same = alike.filter(({ vendorCustomerId: customerId, ...one }) =>
      vendor.isSame({ ...one, customerId }, observed),
    )
    return same.map((one): Pair => [one, observed])
  })
}

function nameOf({
  vendorCustomerId,
  subscriptionId,
}: Pick<TrackedSubscription, 'vendorCustomerId' | 'subscriptionId'>) {
  return JSON.stringify([vendorCustomerId, subscriptionId]).toLowerCase()
}

/** Taken at once, so that a process that ends leaves few to others. */
const AT_ONCE = 20

/** An account as rows name it. */
function accountOf({ name: vendor, account: vendorAccount }: RemoteVendor): Account {
  return { vendor, vendorAccount }
}

/**
 * Reads the subscriptions of an account for whose reading it is time, each by a call of its own, as long as jobs may call.
 * @returns how many were told of
 */
export async function readDue(vendor: RemoteVendor, requestId: string, signal: AbortSignal): Promise<number> {
  let count = 0
  let claimedCount: number
  do {
    if (signal.aborted || (await vendor.secondsUntilAvailable()) > 0) return count
    const due = await claimDue(accountOf(vendor), AT_ONCE)
    claimedCount = due.length
    await forEach(due, async ({ customerId, assetId }) => {
      if (signal.aborted || (await vendor.secondsUntilAvailable()) > 0) return
      const readResult = await readOne(customerId, assetId, requestId)
      if (readResult?.kind === 'read') count += 1
    })
  } while (claimedCount === AT_ONCE)
  return count
}
