import 'server-only'
import {
  addSeatSamples,
  hasLicenses,
  type LicensedRow,
  lockLicensed,
  movesVersion,
  readAsset,
  setObserved,
} from '#lib/licenses/assets/store.ts'
import { noteTermStart } from '#lib/licenses/renewal-orders/terms.ts'
import { type AssetAtVendor, holdersOf } from '#lib/licenses/vendor-passes/holders.ts'
import {
  changeSubscriptionId,
  noteObserved,
  noteUnread,
  observationOf,
} from '#lib/licenses/vendor-subscriptions.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseScope, readScope } from '#lib/platform/db/scope.ts'
import type { Actor } from '#lib/platform/history/audit.ts'
import { forEach } from '#lib/platform/runtime/concurrency.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Observed, RemoteVendor, SubscriptionRef, VendorRead } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { isConfirmed } from '../rules.ts'
import { addLicenseChange, changesWithin, findOpenChange } from '../store/changes.ts'
import { changeSku } from './change-sku.ts'

/** An import may contain thousands of assets; the list of the vendor covers the rest within the hour. */
const MAX_AT_ONCE = 100

/**
 * Reads assets at their vendors, because an import or operator has changed our copy.
 * @returns the number of assets left to later reads, because their vendor did not respond, or there are too many
 */
export async function readNow(
  customerId: CustomerId,
  assetIds: readonly string[],
  requestId: string,
): Promise<number> {
  let unread = Math.max(0, assetIds.length - MAX_AT_ONCE)
  await forEach(assetIds.slice(0, MAX_AT_ONCE), async (assetId) => {
    const isRead = await readOne(customerId, assetId, requestId).then(
      (readResult) => readResult === undefined || readResult.kind === 'read',
      () => false,
    )
    if (!isRead) unread += 1
  })
  return unread
}

/**
 * Reads one asset at its vendor, and stores the observation.
 * @returns undefined if the asset does not exist or has a local record
 */
export async function readOne(
  customerId: CustomerId,
  assetId: string,
  requestId: string,
): Promise<VendorRead | undefined> {
  const row = await readScope({ customerId }, (tx) => readAsset(tx, customerId, assetId))
  if (!row || !hasLicenses(row)) return undefined
  const vendor = vendorOf(row)
  if (vendor.systemOfRecord === 'ours') return undefined
  const readResult = await readSubscription(vendor, row, vendorTimes().readMs)
  if (readResult.kind !== 'read') {
    await tryAgain(customerId, row)
    return readResult
  }
  await applyObservation(vendor, { ...row, customerId, assetId }, readResult.observed, requestId)
  return readResult
}

/** Schedules the next read after one without a result; the delay grows with the time since the last result. */
async function tryAgain(customerId: CustomerId, { vendorSubscriptionId: id }: LicensedRow): Promise<void> {
  const { staleMs } = vendorTimes()
  if (id === null) return
  await licenseScope({ customerId }, (tx) =>
    noteUnread(tx, customerId, id, (age) => waitFor({ kind: 'unread', age }, staleMs)),
  )
}

type AssetSubscription = Pick<
  LicensedRow,
  'customerId' | 'id' | 'vendorAccount' | 'vendorCustomerId' | 'subscriptionId' | 'skuId'
>

/**
 * Reads the subscription of an asset at its vendor. If the id has changed, the vendor may find the subscription by
 * customer and SKU. A subscription that belongs to another asset, of any customer, counts as missing.
 * @param waitMs timeout in milliseconds
 */
export async function readSubscription(
  vendor: RemoteVendor,
  asset: AssetSubscription,
  waitMs: number,
): Promise<VendorRead> {
  const readResult = await vendor.read(refOf(asset), AbortSignal.timeout(waitMs))
  if (readResult.kind !== 'read' || readResult.observed.subscriptionId === asset.subscriptionId)
    return readResult
  const { vendorAccount, vendorCustomerId } = asset
  const { subscriptionId } = readResult.observed
  const location = { vendor: vendor.name, vendorAccount, vendorCustomerId, subscriptionId }
  const holders = await holdersOf([location])
  // The ids differ only in case: the asset holds the subscription itself.
  if (holders.every(({ customerId, assetId }) => customerId === asset.customerId && assetId === asset.id)) {
    return readResult
  }
  const reason = `${vendor.label} has no such subscription of this customer any more.`
  return { kind: 'missing', reason }
}

type Named = Pick<AssetAtVendor, 'vendorCustomerId' | 'subscriptionId'>

/** Returns a unique key of the subscription of an asset. */
function nameAtVendor({ vendorCustomerId, subscriptionId }: Named): string {
  return JSON.stringify([vendorCustomerId, subscriptionId])
}

/**
 * Stores a vendor's observation in our row. Skips an asset with an open change, which its request or the job
 * reconciles.
 */
export async function applyObservation(
  vendor: RemoteVendor,
  asset: Named & Pick<AssetAtVendor, 'customerId' | 'assetId'>,
  observed: Observed,
  requestId: string,
) {
  const { customerId, assetId } = asset
  await licenseScope(asset, async (tx) => {
    const row = await lockLicensed(tx, customerId, assetId)
    // An import may have assigned another subscription to the asset since the read.
    const isThere = row.vendor === vendor.name && row.vendorAccount === vendor.account
    const isSame = isThere && nameAtVendor(row) === nameAtVendor(asset)
    if (!isSame || (await findOpenChange(tx, customerId, assetId))) return
    await observe(tx, customerId, row, { vendor, observed, requestId })
  })
}

/** Returns the reference of an asset's subscription at the vendor. */
export function refOf({
  vendorCustomerId: customerId,
  subscriptionId,
  skuId,
}: Pick<LicensedRow, 'vendorCustomerId' | 'subscriptionId' | 'skuId'>): SubscriptionRef {
  return { customerId, subscriptionId, skuId }
}

type Seen = {
  vendor: RemoteVendor
  observed: Observed
  requestId: string
  /** Whether this is the response to our own change, which contains the seats. */
  confirmed?: boolean
}

/**
 * Stores an observation in our row, which must be locked and have no call in flight. If the vendor shows other
 * purchased seats, without a change of ours, the vendor changed them: a DRIFT row records that, unless a term began
 * with the quantity that the customer had ordered. A recent confirmation outranks the read, which may be stale.
 * @returns the row afterwards; if its purchased seats differ from the observed ones, the current number is disputed
 */
export async function observe(
  tx: Transaction,
  customerId: CustomerId,
  row: LicensedRow,
  { vendor, observed, requestId, confirmed = false }: Seen,
): Promise<LicensedRow> {
  const values = valuesOf(row, observed)
  const actor = { kind: 'vendor', id: vendor.name, name: vendor.label } as const
  const isSameTerm =
    row.commitmentEnd?.getTime() === observed.commitmentEnd?.getTime() && row.status === observed.status
  const ordered = isSameTerm ? undefined : await noteTermStart(tx, customerId, row, { observed, confirmed })
  // A read that shows the ordered start of a term is from after it, and so from after all changes before.
  const isEvident = confirmed || ordered?.total === observed.seats.purchased
  const disputed = isEvident ? undefined : await disputeOf(tx, customerId, row, observed)
  if (disputed) {
    values.seatsPurchased = row.seatsPurchased
    values.seatsMaximum = row.seatsMaximum
  } else if (!confirmed && values.seatsPurchased !== row.seatsPurchased) {
    await addLicenseChange(tx, customerId, {
      asset: row,
      from: row.seatsPurchased,
      to: values.seatsPurchased,
      ...(ordered?.total === values.seatsPurchased
        ? { state: 'APPLIED', ...ordered }
        : { state: 'DRIFT', requestId, actor }),
    })
  }
  const vendorSubscriptionId = vendorSubscriptionOf(row)
  // An Extended Service Term has a SKU of its own.
  const by = ordered?.total === null ? ordered : { actor, requestId }
  const moved = await followed(tx, customerId, row, { vendor, observed, ...by })
  const { seatsPurchased: purchased, seatsAssigned: assigned } = values
  const isNews = purchased !== row.seatsPurchased || assigned !== row.seatsAssigned
  const [stored] = await Promise.all([
    isUnchanged(row, values)
      ? row
      : setObserved(tx, customerId, row.id, { values, moves: movesVersion(row, { ...row, ...values }) }),
    noteObserved(tx, customerId, vendorSubscriptionId, {
      observation: disputed ? null : observationOf(observed),
      waitMs: waitAfter(disputed, confirmed),
    }),
    isNews ? addSeatSamples(tx, customerId, [{ assetId: row.id, purchased, assigned }]) : undefined,
  ])
  return { ...stored, ...moved }
}

/** Returns whether the vendor shows the subscription under another id than ours, ignoring the case of letters. */
export function isReplacement(vendor: RemoteVendor, row: LicensedRow, observed: Observed): boolean {
  return !vendor.isSame({ ...refOf(row), skuId: observed.skuId }, observed)
}

/** Follows a subscription to its new id or SKU at the vendor. */
async function followed(
  tx: Transaction,
  customerId: CustomerId,
  row: LicensedRow,
  { vendor, observed, ...by }: Pick<Seen, 'vendor' | 'observed' | 'requestId'> & { actor: Actor },
): Promise<Partial<LicensedRow>> {
  const vendorSubscriptionId = vendorSubscriptionOf(row)
  const { subscriptionId } = observed
  if (isReplacement(vendor, row, observed)) {
    await changeSubscriptionId(tx, customerId, vendorSubscriptionId, {
      from: row.subscriptionId,
      to: subscriptionId,
      assetId: row.id,
      ...by,
    })
    return { subscriptionId }
  }
  if (vendor.isSame(refOf(row), observed)) return {}
  return changeSku(tx, customerId, { row, vendorSubscriptionId, observed, ...by })
}

/** Returns the id of the subscription row of an asset at a vendor; a CHECK constraint guarantees the id. */
function vendorSubscriptionOf({ id, vendorSubscriptionId }: LicensedRow): string {
  if (vendorSubscriptionId === null) throw new Error(`The asset ${id} is at no vendor.`)
  return vendorSubscriptionId
}

/** Returns the maximum age of the state that an observation shows, in milliseconds: its read may have taken long. */
export function maxAgeOf({ requestedAt }: Observed): number {
  return vendorTimes().staleMs + Math.max(0, Date.now() - (requestedAt ?? Date.now()))
}

/**
 * Returns the dispute between a read and other purchased seats that the vendor has confirmed recently, or had changed from
 * the read's number, if there is one: either may be the older state. `since`: milliseconds since then.
 */
export async function disputeOf(
  tx: Transaction,
  customerId: CustomerId,
  row: LicensedRow,
  observed: Observed,
): Promise<{ since: number } | undefined> {
  if (observed.seats.purchased === row.seatsPurchased) return undefined
  const lately = await changesWithin(tx, customerId, row, maxAgeOf(observed))
  // No vendor has shown what an import recorded.
  const newer = lately.filter((change) => {
    const isSeen = change.state !== 'RECORDED' && change.fromQuantity === observed.seats.purchased
    return isSeen || isConfirmed(change)
  })
  const newest = Math.max(...newer.map(({ settledAt }) => settledAt?.getTime() ?? 0))
  return newer.length > 0 ? { since: Date.now() - newest } : undefined
}

/**
 * Returns the milliseconds until the subscription is read individually: at the end of a dispute, and after a confirmed
 * change, whose data at the vendor may be stale for a while.
 */
function waitAfter(disputed: { since: number } | undefined, isConfirmedNow: boolean): number | null {
  const { staleMs } = vendorTimes()
  if (disputed) return waitFor({ kind: 'disputed', ...disputed }, staleMs)
  return isConfirmedNow ? waitFor({ kind: 'changed' }, staleMs) : null
}

/** Returns the row with the values of an observation, for the checks of a dry run. */
export function observedRow(row: LicensedRow, observed: Observed): LicensedRow {
  const seen = { ...row, ...valuesOf(row, observed) }
  return { ...seen, seatVersion: row.seatVersion + (movesVersion(row, seen) ? 1 : 0) }
}

/** Columns that the vendor decides. */
type ObservedValues = Pick<
  LicensedRow,
  | 'status'
  | 'planName'
  | 'isCommitmentPlan'
  | 'commitmentStart'
  | 'commitmentEnd'
  | 'renewalType'
  | 'seatsPurchased'
  | 'seatsMaximum'
  | 'seatsAssigned'
  | 'scheduledTotal'
  | 'scheduledAt'
>

/** Returns the values of an observation for a row; assigned seats stay where it lacks them. */
function valuesOf(row: LicensedRow, { seats, ...values }: Observed): ObservedValues {
  return {
    status: values.status,
    planName: values.planName,
    isCommitmentPlan: values.isCommitmentPlan,
    commitmentStart: values.commitmentStart,
    commitmentEnd: values.commitmentEnd,
    renewalType: values.renewalType,
    seatsPurchased: seats.purchased,
    seatsMaximum: seats.maximum,
    seatsAssigned: seats.assigned ?? row.seatsAssigned,
    scheduledTotal: values.scheduled?.total ?? null,
    scheduledAt: values.scheduled?.at ?? null,
  }
}

/** Returns whether a row has all values of an observation. */
function isUnchanged(row: LicensedRow, values: ObservedValues): boolean {
  const fields = Object.keys(values) as (keyof ObservedValues)[]
  return fields.every((field) => plain(row[field]) === plain(values[field]))
}

function plain(value: ObservedValues[keyof ObservedValues]): string | number | boolean | null {
  return value instanceof Date ? value.getTime() : value
}

/** Reason for reading a subscription individually, before the list covers it. Times are in milliseconds. */
export type Occasion =
  /** Our change was applied: a read before the end of the vendor's stale time may show the former total. */
  | { kind: 'changed' }
  /** A read shows another total than the vendor confirmed `since` milliseconds ago; it is unknown which is older. */
  | { kind: 'disputed'; since: number }
  /** A user looks at the asset, whose last observation has this age. */
  | { kind: 'looked'; age: number }
  /** A read was requested and had no result; the last result has this age. */
  | { kind: 'unread'; age: number }

const MINUTE = 60_000
/** Age up to which an observation is not read again for a user. */
export const FRESH_MS = 5 * MINUTE
/** Shortest and longest pause between two reads of a subscription that can't be read. */
const SOONEST_TRY = MINUTE
const LATEST_TRY = 60 * MINUTE

/**
 * Returns the milliseconds until the subscription is read individually, or null if the next list is soon enough.
 * @param staleMs maximum age of the state that a read may show
 */
export function waitFor(occasion: Occasion, staleMs: number): number | null {
  switch (occasion.kind) {
    case 'changed':
      return staleMs
    case 'disputed':
      return Math.max(0, staleMs - occasion.since)
    case 'looked':
      return occasion.age > FRESH_MS ? 0 : null
    case 'unread':
      // The pause grows with the time since the last result: a broken subscription costs one call an hour.
      return Math.min(Math.max(occasion.age / 2, SOONEST_TRY), LATEST_TRY)
  }
}
