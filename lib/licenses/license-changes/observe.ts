import 'server-only'
import { movesVersion } from '#lib/licenses/assets/rules.ts'
import { addReadings, type LicensedRow, setObserved } from '#lib/licenses/assets/store.ts'
import { noteObserved, observationOf, pointAnew } from '#lib/licenses/vendor-subscriptions.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { Actor } from '#lib/platform/history/audit.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Observed, RemoteVendor, SubscriptionRef } from '#lib/vendors/vendor.ts'
import { waitFor } from './reading/when.ts'
import { isConfirmed } from './rules.ts'
import { addLicenseChange, changesWithin } from './store/changes.ts'

/** Where the vendor keeps the subscription of an asset. */
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
  /** The answer to our own change, which tells of the seats itself. */
  confirmed?: boolean
}

/**
 * Takes what the vendor told into our row, which must be locked and have no call under way. Other purchased seats
 * that no change of ours made are the vendor's own change: a DRIFT row tells of it. What it confirmed to us lately
 * stays, for the read may show an older state.
 * @returns the row as it is now; where its purchased seats are not those observed, nobody can tell for the moment
 */
export async function observe(
  tx: Transaction,
  customerId: CustomerId,
  row: LicensedRow,
  { vendor, observed, requestId, confirmed = false }: Seen,
): Promise<LicensedRow> {
  const values = valuesOf(row, observed)
  const actor = { kind: 'vendor', id: vendor.name, name: vendor.label } as const
  const disputed = confirmed ? undefined : await disputeOf(tx, customerId, row, observed)
  if (disputed) {
    values.seatsPurchased = row.seatsPurchased
    values.seatsMaximum = row.seatsMaximum
  } else if (!confirmed && values.seatsPurchased !== row.seatsPurchased) {
    await addLicenseChange(tx, customerId, {
      asset: row,
      from: row.seatsPurchased,
      to: values.seatsPurchased,
      state: 'DRIFT',
      requestId,
      actor,
    })
  }
  const own = vendorSubscriptionOf(row)
  const { subscriptionId } = await followed(tx, customerId, row, { vendor, observed, actor, requestId })
  const { seatsPurchased: purchased, seatsAssigned: assigned } = values
  const isNews = purchased !== row.seatsPurchased || assigned !== row.seatsAssigned
  const [stored] = await Promise.all([
    isAsTold(row, values)
      ? row
      : setObserved(tx, customerId, row.id, values, { moves: movesVersion(row, { ...row, ...values }) }),
    noteObserved(tx, customerId, own, {
      observation: disputed ? null : observationOf(observed),
      waitMs: waitAfter(disputed, confirmed),
    }),
    isNews ? addReadings(tx, customerId, [{ assetId: row.id, purchased, assigned }]) : undefined,
  ])
  return { ...stored, subscriptionId }
}

/** Whether its vendor told of a subscription under another id than we know; a letter's case is no other id. */
export function isAnew(vendor: RemoteVendor, row: LicensedRow, observed: Observed): boolean {
  return !vendor.isSame({ ...refOf(row), skuId: observed.skuId }, observed)
}

/** Follows a subscription to the id that its vendor gives it now. */
async function followed(
  tx: Transaction,
  customerId: CustomerId,
  row: LicensedRow,
  { vendor, observed, ...by }: Pick<Seen, 'vendor' | 'observed' | 'requestId'> & { actor: Actor },
): Promise<Pick<LicensedRow, 'subscriptionId'>> {
  if (!isAnew(vendor, row, observed)) return row
  const [from, to] = [row.subscriptionId, observed.subscriptionId]
  await pointAnew(tx, customerId, vendorSubscriptionOf(row), { from, to, assetId: row.id, ...by })
  return { subscriptionId: to }
}

/** An asset at a vendor points to its subscription (a CHECK holds it). */
function vendorSubscriptionOf({ id, vendorSubscriptionId }: LicensedRow): string {
  if (vendorSubscriptionId === null) throw new Error(`The asset ${id} is at no vendor.`)
  return vendorSubscriptionId
}

/**
 * The dispute that there is where a read shows other purchased seats than the vendor confirmed to us lately: nobody can
 * tell which is older. `since` the confirmation, in milliseconds.
 */
export async function disputeOf(
  tx: Transaction,
  customerId: CustomerId,
  row: LicensedRow,
  { seats }: Observed,
): Promise<{ since: number } | undefined> {
  if (seats.purchased === row.seatsPurchased) return undefined
  const lately = await changesWithin(tx, customerId, row, vendorTimes().staleMs)
  const confirmed = lately.filter(isConfirmed).map(({ settledAt }) => settledAt?.getTime() ?? 0)
  return confirmed.length > 0 ? { since: Date.now() - Math.max(...confirmed) } : undefined
}

/** Until it is read by itself: the vendor's word may be overtaken by its own books, and a dispute has an end. */
function waitAfter(disputed: { since: number } | undefined, isConfirmedNow: boolean): number | null {
  const { staleMs } = vendorTimes()
  if (disputed) return waitFor({ kind: 'disputed', ...disputed }, staleMs)
  return isConfirmedNow ? waitFor({ kind: 'changed' }, staleMs) : null
}

/** The row as an observation would make it: what a dry run decides by. */
export function observedRow(row: LicensedRow, observed: Observed): LicensedRow {
  const seen = { ...row, ...valuesOf(row, observed) }
  return { ...seen, seatVersion: row.seatVersion + (movesVersion(row, seen) ? 1 : 0) }
}

/** What of a row its vendor decides. */
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

/** What an observation makes of a row; assigned seats stay where it does not tell them. */
function valuesOf(row: LicensedRow, { seats, ...told }: Observed): ObservedValues {
  return {
    status: told.status,
    planName: told.planName,
    isCommitmentPlan: told.isCommitmentPlan,
    commitmentStart: told.commitmentStart,
    commitmentEnd: told.commitmentEnd,
    renewalType: told.renewalType,
    seatsPurchased: seats.purchased,
    seatsMaximum: seats.maximum,
    seatsAssigned: seats.assigned ?? row.seatsAssigned,
    scheduledTotal: told.scheduled?.total ?? null,
    scheduledAt: told.scheduled?.at ?? null,
  }
}

/** Whether a row has all that was told of it. */
function isAsTold(row: LicensedRow, values: ObservedValues): boolean {
  const fields = Object.keys(values) as (keyof ObservedValues)[]
  return fields.every((field) => plain(row[field]) === plain(values[field]))
}

function plain(value: ObservedValues[keyof ObservedValues]): string | number | boolean | null {
  return value instanceof Date ? value.getTime() : value
}
