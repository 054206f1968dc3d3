import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asset } from '#lib/licenses/assets/contract.ts'
import { replyOf } from '#lib/licenses/assets/serialize.ts'
import {
  type AssetRow,
  addSeatSamples,
  assetStateOf,
  type LicensedRow,
  type LicenseState,
  licensed,
  lockLicensed,
  readAsset,
  setSeats,
} from '#lib/licenses/assets/store.ts'
import { type Answer, claimIdempotencyKey, pointKey, saveResponse } from '#lib/platform/api/idempotency.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseScope } from '#lib/platform/db/scope.ts'
import { actorOf } from '#lib/platform/history/audit.ts'
import { logFailure } from '#lib/platform/runtime/log.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { LocalVendor, PredictedOutcome, VendorSeats } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import * as problems from './problems.ts'
import { isInProgress, type ReconciledChange, reconcileChange } from './reconcile.ts'
import { checkAfterRead, checkBeforeRead, isOver } from './rules.ts'
import { type Claim, type QuantityRequest, send, withAsset } from './send.ts'
import { sendAgain } from './send-again.ts'
import { addLicenseChange, type Change, findOpenChange, readChange } from './store/changes.ts'
import { type Copy, readCopy, readShared } from './vendor-sync/read-again.ts'

/** Next step of a request, after the checks. */
type Step =
  /** The checks settle the request. */
  | { kind: 'answered'; answer: Answer<Asset> }
  /** Another request, or an earlier one with the same Idempotency-Key, changes the asset to the same total. */
  | { kind: 'joined'; changeId: string; vendor: LocalVendor | GuardedVendor }
  /** Our copy forbids the change and is not fresh: the vendor is read first. Nothing was written. */
  | { kind: 'outdated'; row: AssetRow; vendor: GuardedVendor }
  /** Our own record is changed in the same transaction, with the asset's row locked. */
  | { kind: 'local'; prediction: PredictedOutcome<VendorSeats> }
  /** The change is claimed with the asset's row locked, and then sent to the vendor. */
  | { kind: 'remote'; vendor: GuardedVendor }
  /** The change was claimed. */
  | { kind: 'claimed'; claim: Claim; changeId: string; vendor: GuardedVendor }

/** Step that ends the first transaction. */
type BeginOutcome = Extract<Step, { kind: 'answered' | 'joined' | 'outdated' | 'claimed' }>
/** Result of the checks. */
type Decision = Exclude<Step, { kind: 'claimed' }>

/** A joined change may be withdrawn; then the request claims a change itself. */
const MAX_ROUNDS = 3

/**
 * Sets the total of an asset, in the order of the checks of a PATCH. Each transaction locks the asset's row first, except
 * for a decrease that our row forbids; no transaction is open during a vendor call.
 * @returns the asset after the change, or a rejection that settles the request
 * @throws Problem that settles nothing, such as `not_found`, `change_in_progress` or `vendor_unavailable`
 */
export async function changeQuantity(request: QuantityRequest): Promise<Answer<Asset>> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const outcome = await beginWithFreshCopy(request)
    switch (outcome.kind) {
      case 'answered':
        return outcome.answer
      case 'claimed': {
        const { claim, changeId, vendor } = outcome
        const answer = (await send(request, claim)) || (await awaitAnswer(request, changeId, vendor.label))
        // A sent change is never withdrawn.
        if (!answer) throw problems.outcomeUnknown(vendor.label, changeId)
        return answer
      }
      case 'joined': {
        const { changeId, vendor } = outcome
        const resent = isRepeatable(vendor) ? (await sendAgain(request, changeId)).answer : undefined
        const answer = resent || (await awaitAnswer(request, changeId, vendor.label))
        if (answer) return answer
      }
    }
  }
  throw problems.changeInProgress()
}

/**
 * Begins a change. Where our copy forbids the change and is not fresh, reads the vendor first, once for all waiting
 * requests.
 */
async function beginWithFreshCopy(
  request: QuantityRequest,
): Promise<Exclude<BeginOutcome, { kind: 'outdated' }>> {
  const { caller, keyed, requestId } = request
  const outcome = await licenseScope(caller, (tx) => beginConfirmed(tx, request, false))
  if (outcome.kind !== 'outdated') return outcome
  const copy = await readShared(caller, outcome.row, outcome.vendor, requestId)
  const problem = copy && !keyed ? problemOfCopy(request, copy) : undefined
  // The answer to a request with an Idempotency-Key is stored by the second transaction.
  if (problem) return { kind: 'answered', answer: problem }
  const again = await licenseScope(caller, (tx) => beginConfirmed(tx, request, true))
  if (again.kind === 'outdated') throw new Error('The vendor was read a moment ago.')
  return again
}

/** Returns the problem of a change that a fresh copy forbids while no other change is open. */
function problemOfCopy(request: QuantityRequest, { row, open, isFresh }: Copy): Problem | undefined {
  const result = checkBeforeRead(request, { ...assetStateOf(row), open })
  const isForbidden = isFresh && result.kind === 'unread'
  return isForbidden && result.violation ? problems.decreaseNotAllowed(row, result.violation) : undefined
}

/** Returns whether the vendor's writes are idempotent, so that a change whose answer was lost may be resent. */
const isRepeatable = (vendor: LocalVendor | GuardedVendor): boolean =>
  vendor.systemOfRecord === 'theirs' && vendor.idempotentWrites !== undefined

/** Begins a change, and uses its confirmation in the same transaction; a refusal uses it, too. */
async function beginConfirmed(
  tx: Transaction,
  request: QuantityRequest,
  isRead: boolean,
): Promise<BeginOutcome> {
  const outcome = await begin(tx, request, isRead)
  if (outcome.kind !== 'outdated') await request.confirm?.(tx)
  return outcome
}

/** @param isRead whether the vendor was read just now */
async function begin(tx: Transaction, request: QuantityRequest, isRead: boolean): Promise<BeginOutcome> {
  const { caller, assetId, keyed, quantity } = request
  const { customerId } = caller
  // With a key the row is always locked: two requests with one key run one after the other.
  const unlessOver = keyed ? undefined : quantity
  const locked = await readAsset(tx, customerId, assetId, { lock: true, unlessOver })
  if (locked) return beginLocked(tx, locked, request, isRead)
  const copy = keyed ? undefined : await readCopy(tx, customerId, assetId)
  if (!copy) throw new Problem('not_found')
  const decision = await decide(tx, copy.row, request, { isRead, copy })
  if (decision.kind !== 'local' && decision.kind !== 'remote') return decision
  return beginLocked(tx, await lockLicensed(tx, customerId, assetId), request, isRead)
}

/** Begins a change with the asset's row locked; claims the Idempotency-Key and stores its outcome, if there is one. */
async function beginLocked(
  tx: Transaction,
  row: AssetRow,
  request: QuantityRequest,
  isRead: boolean,
): Promise<BeginOutcome> {
  const { caller, keyed } = request
  const existing = keyed && (await claimIdempotencyKey(tx, keyed))
  if (existing?.kind === 'answered') return existing
  if (existing?.kind === 'change') {
    const change = await readChange(tx, caller.customerId, existing.changeId)
    // A change that was withdrawn, or is over, does not settle the request: the call runs again.
    if (change && !isOver(change)) return joined(change, vendorOf(row))
  }
  const outcome = await perform(tx, row, request, await decide(tx, row, request, { isRead }))
  if (!keyed || outcome.kind === 'outdated') return outcome
  if (outcome.kind === 'answered') await saveResponse(tx, keyed, outcome.answer)
  else await pointKey(tx, keyed, outcome.changeId)
  return outcome
}

function joined(change: Change, vendor: LocalVendor | GuardedVendor): Extract<Step, { kind: 'joined' }> {
  return { kind: 'joined', changeId: change.id, vendor }
}

/** Performs the decision of the checks, with the asset's row locked. */
async function perform(
  tx: Transaction,
  row: AssetRow,
  request: QuantityRequest,
  decision: Decision,
): Promise<BeginOutcome> {
  switch (decision.kind) {
    case 'local':
      return {
        kind: 'answered',
        answer: await changeLocally(tx, licensed(row), decision.prediction, request),
      }
    case 'remote':
      return claimChange(tx, licensed(row), decision.vendor, request)
    case 'answered':
    case 'joined':
    case 'outdated':
      return decision
  }
}

/** @param copy our copy, where the row is not locked */
async function decide(
  tx: Transaction,
  row: AssetRow,
  request: QuantityRequest,
  read: { isRead: boolean; copy?: Copy },
): Promise<Decision> {
  const vendor = vendorOf(row)
  return vendor.systemOfRecord === 'ours'
    ? decideByRecord(tx, row, request, vendor)
    : decideByCopy(tx, row, request, { vendor, ...read })
}

/** Runs the checks with our own record. */
async function decideByRecord(
  tx: Transaction,
  row: AssetRow,
  request: QuantityRequest,
  vendor: LocalVendor,
): Promise<Decision> {
  const { caller, quantity } = request
  const predictOutcome = (quantityState: LicenseState) => vendor.predictOutcome(quantityState, quantity)
  const result = checkAfterRead(request, assetStateOf(row), predictOutcome)
  switch (result.kind) {
    case 'refused':
      return { kind: 'answered', answer: await problems.violationProblem(tx, caller.customerId, row, result) }
    case 'unchanged':
      return { kind: 'answered', answer: replyOf(row) }
    default:
      return { kind: 'local', prediction: result }
  }
}

/**
 * Runs the checks with our copy of the vendor's record. A change that a fresh copy forbids is rejected without a claim;
 * where the copy is not fresh after a read (`isRead`), the vendor decides.
 */
async function decideByCopy(
  tx: Transaction,
  row: AssetRow,
  request: QuantityRequest,
  { vendor, isRead, copy }: { vendor: GuardedVendor; isRead: boolean; copy?: Copy },
): Promise<Decision> {
  const { customerId } = request.caller
  const open = copy ? copy.open : await findOpenChange(tx, customerId, row.id)
  const result = checkBeforeRead(request, { ...assetStateOf(row), open })
  switch (result.kind) {
    case 'refused':
      return { kind: 'answered', answer: await problems.violationProblem(tx, customerId, row, result) }
    case 'in_progress':
      throw problems.otherChange(result.open)
    case 'joined':
      return joined(result.open, vendor)
    case 'unread': {
      const { violation } = result
      if (!violation) return { kind: 'remote', vendor }
      const current = copy ?? (await readCopy(tx, customerId, row.id))
      if (current?.isFresh) return { kind: 'answered', answer: problems.decreaseNotAllowed(row, violation) }
      return isRead ? { kind: 'remote', vendor } : { kind: 'outdated', row, vendor }
    }
  }
}

async function changeLocally(
  tx: Transaction,
  row: LicensedRow,
  prediction: PredictedOutcome<VendorSeats>,
  { caller, quantity, requestId }: QuantityRequest,
): Promise<Answer<Asset>> {
  const { customerId } = caller
  const { id: assetId, seatsPurchased: from } = row
  const change = { asset: row, from, to: quantity, actor: actorOf(caller), requestId }
  if (prediction.kind === 'rejected') {
    await addLicenseChange(tx, customerId, { ...change, state: 'REJECTED', vendorReason: prediction.reason })
    return problems.rejected(prediction)
  }
  // One round trip: the statements are pipelined, and the transaction makes them atomic.
  const [, changed] = await Promise.all([
    addLicenseChange(tx, customerId, { ...change, state: 'APPLIED' }),
    setSeats(tx, customerId, assetId, prediction.seats),
    addSeatSamples(tx, customerId, [{ assetId, ...prediction.seats }]),
  ])
  return replyOf(changed)
}

async function claimChange(
  tx: Transaction,
  row: LicensedRow,
  vendor: GuardedVendor,
  { caller, quantity, requestId }: QuantityRequest,
): Promise<BeginOutcome> {
  if (vendor.pausedFor() > 0) {
    throw problems.vendorUnavailable(vendor.label, vendor.pausedFor(), vendor.pausedWhy())
  }
  const change = await addLicenseChange(tx, caller.customerId, {
    asset: row,
    from: row.seatsPurchased,
    to: quantity,
    state: 'CLAIMED',
    actor: actorOf(caller),
    requestId,
  })
  const claim = { change, row, vendor, claimedAt: Date.now() }
  return { kind: 'claimed', claim, changeId: change.id, vendor }
}

/** Pause between two polls of a change that another request carries out. */
const POLL_INTERVAL_MS = 150

/**
 * Waits for the outcome of a change, for as long as another request may take to carry the change out, and returns the
 * answer. Stores the answer under the request's Idempotency-Key.
 * @param label the vendor's display name
 * @returns undefined where the change was withdrawn
 * @throws Problem `vendor_unavailable` for a failed change, which may be requested again; `outcome_unknown` for a change
 * that is still open or unclear
 */
function awaitAnswer(
  request: QuantityRequest,
  changeId: string,
  label: string,
): Promise<Answer<Asset> | undefined> {
  return pollForAnswer(request, changeId, label).catch((error) => {
    if (error instanceof Problem) throw error
    // The change may have been applied, whatever error prevents us from reading or recording the outcome.
    logFailure({ status: 504 }, error, request.requestId)
    throw problems.outcomeUnknown(label, changeId)
  })
}

async function pollForAnswer(
  request: QuantityRequest,
  changeId: string,
  label: string,
): Promise<Answer<Asset> | undefined> {
  const { caller, keyed, requestId } = request
  const { readMs, writeMs } = vendorTimes()
  const deadline = Date.now() + readMs + writeMs
  let change: ReconciledChange | undefined
  do {
    if (change) await pause(POLL_INTERVAL_MS)
    change = await reconcileChange(caller, changeId, requestId)
  } while (shouldWait(change) && Date.now() < deadline)
  if (!change) return undefined
  const { state, vendorReason } = change
  if (state === 'FAILED') throw problems.vendorUnavailable(label)
  if (state === 'UNCLEAR') throw problems.outcomeUnclear(change, label)
  if (state !== 'APPLIED' && state !== 'REJECTED') throw problems.outcomeUnknown(label, changeId)
  return withAsset(request, async (tx, row) => {
    const reason = vendorReason ?? 'The vendor refused it.'
    const answer = state === 'APPLIED' ? replyOf(row) : problems.rejected({ code: 'vendor_rejected', reason })
    return saveResponse(tx, keyed, answer)
  })
}

/** Returns whether the outcome may follow shortly: a request or a poll is running, or the vendor has accepted an order. */
function shouldWait(change: ReconciledChange | undefined): boolean {
  if (isInProgress(change)) return true
  return change?.state === 'UNKNOWN' && (change.isBeingPolled === true || change.pollRef !== null)
}
