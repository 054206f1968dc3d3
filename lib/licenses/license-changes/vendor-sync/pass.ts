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
import { forEach } from '#lib/platform/runtime/concurrency.ts'
import { log } from '#lib/platform/runtime/log.ts'
import type { Account } from '#lib/vendors/accounts.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Observed, RemoteVendor, StaleCursor, Unavailable } from '#lib/vendors/vendor.ts'
import { applyObservation, readOne } from './read.ts'

/** Timeout factor of a page of a hundred, relative to one subscription. */
const PAGE_TIME_FACTOR = 5
/** Longest run of the job, in milliseconds; the next run continues at its cursor. */
const MAX_RUN_MS = 5 * 60_000
/** Longest wait of a run, in seconds, until jobs may call again; the run ends before a longer wait. */
const MAX_WAIT_SECONDS = 15
/** Seconds until a failed page is requested again, where the vendor names no time. */
const FAILED_WAIT = 60
/** Seconds until a list restarts whose cursor has expired at the vendor. */
const STALE_WAIT = 600
/** Most missed subscriptions that are read one by one: a list that omits more is itself wrong. */
const MAX_MISSED = 100

/**
 * Continues the list of an account's subscriptions page by page when due, from the cursor that the last run of any
 * process stored. Between pages, reads due subscriptions individually.
 * @returns the number of observed assets
 * @throws Error if a page could not be read: the page is requested again later, without individual reads in its place
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

/** Pauses the pass, and restarts its list where the cursor has expired. @returns the error with the reason */
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

/** Ends the list: missed subscriptions are read one by one, unless the list itself is at fault. */
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
 * Applies a page of a vendor's list to our subscriptions. Unchanged ones are noted in one statement; each other one is
 * a transaction.
 * @returns the number of observed subscriptions
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

/** Claimed together; small, so that a process that ends leaves few claims to expire. */
const AT_ONCE = 20

/** Returns an account with the column names of rows. */
function accountOf({ name: vendor, account: vendorAccount }: RemoteVendor): Account {
  return { vendor, vendorAccount }
}

/**
 * Reads the due subscriptions of an account, one call each, as long as jobs may call.
 * @returns the number of observed subscriptions
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
