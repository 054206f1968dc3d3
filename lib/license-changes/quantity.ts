import 'server-only'
import { claimKey, type Outcome, pointKey } from '#lib/api/idempotency.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Asset } from '#lib/assets/contract.ts'
import { addReadings } from '#lib/assets/seat-history.ts'
import { seatsOf, setSeats } from '#lib/assets/seats.ts'
import * as store from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { scope } from '#lib/db/scope.ts'
import { actorOf } from '#lib/history/audit.ts'
import type { OwnBooks } from '#lib/vendors/vendor.ts'
import { vendorNamed } from '#lib/vendors/vendors.ts'
import { addLicenseChange } from './license-change.ts'
import { openChangeOf, readChange } from './open-change.ts'
import { awaitOutcome } from './outcome.ts'
import { provision } from './provision.ts'
import * as answer from './quantity-answer.ts'
import { type Claimed, claimOf, keep, type QuantityRequest } from './quantity-request.ts'

type Begun =
  | { kind: 'answered'; outcome: Outcome<Asset> }
  | ({ kind: 'claimed' } & Claimed)
  /** Another request asks for the same, or this one did before. */
  | { kind: 'joined'; changeId: string }

/** A change that was joined may come to nothing; then the request claims one of its own. */
const MOST_ROUNDS = 3

/**
 * Sets a total, in the order of the checks of CONTRACT 4. The asset's row is locked first, in each transaction; none
 * is open while a vendor is asked.
 * @returns the asset as it is now, or a refusal that settles the request
 * @throws Problem for what settles nothing, such as `not_found`, `change_in_progress` or `vendor_unavailable`
 */
export async function changeQuantity(request: QuantityRequest): Promise<Outcome<Asset>> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const begun = await scope(request.caller, (tx) => begin(tx, request))
    if (begun.kind === 'answered') return begun.outcome
    if (begun.kind === 'claimed') return provision(request, begun)
    const outcome = await awaitOutcome(request, begun.changeId)
    if (outcome) return outcome
  }
  throw answer.changeInProgress()
}

async function begin(tx: Transaction, request: QuantityRequest): Promise<Begun> {
  const { customerId } = request.caller
  const row = await store.readAsset(tx, customerId, request.assetId, { lock: true })
  if (!row) throw new Problem('not_found')
  const claim = claimOf(request)
  const known = claim && (await claimKey<Asset>(tx, claim))
  if (known?.kind === 'kept') return { kind: 'answered', outcome: known.outcome }
  if (known?.kind === 'open') {
    const change = await readChange(tx, customerId, known.changeId)
    // One that was withdrawn or failed came to nothing: the call runs again.
    if (change && change.state !== 'FAILED') return { kind: 'joined', changeId: change.id }
  }
  const begun = await first(tx, row, request)
  if (begun.kind === 'answered') await keep(tx, request, begun.outcome)
  else if (claim) await pointKey(tx, claim, begun.kind === 'joined' ? begun.changeId : begun.change.id)
  return begun
}

/** The checks before any vendor is asked. */
async function first(tx: Transaction, row: store.AssetRow, request: QuantityRequest): Promise<Begun> {
  const { caller, quantity, ifMatch, requestId } = request
  const answered = (outcome: Outcome<Asset>): Begun => ({ kind: 'answered', outcome })
  if (!store.hasLicenses(row)) {
    return answered(new Problem('quantity_not_supported', `Assets of type ${row.type} have no licenses.`))
  }
  const vendor = vendorNamed(row.vendor)
  const isFit = vendor.books === 'ours' ? answer.isVersion : answer.mayBecomeVersion
  if (!isFit(row, ifMatch)) return answered(await answer.mismatch(tx, caller.customerId, row))
  if (vendor.books === 'ours') return answered(await changeOurBooks(tx, row, vendor, request))

  const open = await openChangeOf(tx, caller.customerId, row.id)
  if (open?.toQuantity === quantity) return { kind: 'joined', changeId: open.id }
  if (open) throw answer.otherChange(open)
  if (vendor.pausedFor() > 0) throw answer.vendorUnavailable(vendor.label, vendor.pausedFor())
  const change = await addLicenseChange(tx, caller.customerId, {
    ...{ assetId: row.id, from: row.seatsPurchased, to: quantity, state: 'CLAIMED', requestId },
    actor: actorOf(caller),
  })
  return { kind: 'claimed', claimedAt: Date.now(), change, row, vendor }
}

async function changeOurBooks(
  tx: Transaction,
  row: store.LicensedRow,
  vendor: OwnBooks,
  { caller, quantity, requestId }: QuantityRequest,
): Promise<Outcome<Asset>> {
  const { customerId } = caller
  const decision = answer.decide(row, quantity)
  if (!decision.allowed && decision.reason === 'not_active') return answer.refusal(decision)
  if (quantity === row.seatsPurchased) return answer.replyOf(row)
  if (!decision.allowed) return answer.refusal(decision)
  const foreseen = vendor.foresee({ seats: seatsOf(row) }, quantity)
  const change = {
    assetId: row.id,
    from: row.seatsPurchased,
    to: quantity,
    actor: actorOf(caller),
    requestId,
  }
  if (foreseen.kind === 'rejected') {
    await addLicenseChange(tx, customerId, { ...change, state: 'REJECTED', vendorReason: foreseen.reason })
    return answer.vendorRefusal(foreseen)
  }
  // Written together, in one round trip; they stand or fall together in any case.
  const [changed] = await Promise.all([
    setSeats(tx, customerId, row.id, foreseen.seats),
    addLicenseChange(tx, customerId, { ...change, state: 'APPLIED' }),
    addReadings(tx, customerId, [{ assetId: row.id, ...foreseen.seats }]),
  ])
  return answer.replyOf(changed)
}
