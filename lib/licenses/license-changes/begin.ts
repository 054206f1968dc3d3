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
import { scope } from '#lib/platform/db/scope.ts'
import { actorOf } from '#lib/platform/history/audit.ts'
import { logFailure } from '#lib/platform/runtime/log.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { LocalVendor, PredictedOutcome, VendorSeats } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import * as answers from './answers.ts'
import { isInProgress, type ReconciledChange, reconcileChange } from './reconcile.ts'
import { check, isOver } from './rules.ts'
import { type Claim, type QuantityRequest, send, withAsset } from './send.ts'
import { sendAgain } from './send-again.ts'
import { addLicenseChange, type Change, findOpenChange, readChange } from './store/changes.ts'
import { type Copy, readCopy, readShared } from './vendor-sync/read-again.ts'

type BeginResult =
  | { kind: 'answered'; answer: Answer<Asset> }
  | { kind: 'claimed'; claim: Claim; changeId: string; vendor: GuardedVendor }
  /** Another request asks for the same, or this one did before. */
  | { kind: 'joined'; changeId: string; vendor: LocalVendor | GuardedVendor }
  | Outdated

/** Our copy forbids it, and is not fresh: the vendor is read first. Nothing was written. */
type Outdated = { kind: 'outdated'; row: AssetRow; vendor: GuardedVendor }

/** A change that was joined may come to nothing; then the request claims one of its own. */
const MAX_ROUNDS = 3

/**
 * Sets a total, in the order of the checks of CONTRACT 4. The asset's row is locked first, in each transaction, but for a
 * decrease that our row forbids; none is open while a vendor is asked.
 * @returns the asset as it is now, or a refusal that settles the request
 * @throws Problem for what settles nothing, such as `not_found`, `change_in_progress` or `vendor_unavailable`
 */
export async function changeQuantity(request: QuantityRequest): Promise<Answer<Asset>> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const step = await beginByFreshCopy(request)
    if (step.kind === 'answered') return step.answer
    const { changeId, vendor } = step
    const sentAnswer =
      step.kind === 'claimed'
        ? await send(request, step.claim)
        : isRepeatable(vendor) && (await sendAgain(request, changeId)).answer
    const answer = sentAnswer || (await awaitAnswer(request, changeId, vendor.label))
    if (answer) return answer
    // What was sent is not withdrawn any more: only a change that was joined may come to nothing.
    if (step.kind === 'claimed') throw answers.outcomeUnknown(vendor.label, changeId)
  }
  throw answers.changeInProgress()
}

/** Begins a change; where our copy forbids it and is not fresh, one reading is shared by all requests that wait for it. */
async function beginByFreshCopy(request: QuantityRequest): Promise<Exclude<BeginResult, Outdated>> {
  const { caller, keyed, requestId } = request
  const begun = await scope(caller, (tx) => begin(tx, request, false))
  if (begun.kind !== 'outdated') return begun
  const copy = await readShared(caller, begun.row, begun.vendor, requestId)
  const refusal = copy && !keyed ? refusalOf(request, copy) : undefined
  // What is kept under a key is written by the second transaction.
  if (refusal) return { kind: 'answered', answer: refusal }
  const again = await scope(caller, (tx) => begin(tx, request, true))
  if (again.kind === 'outdated') throw new Error('It was read a moment ago.')
  return again
}

/** What a fresh copy forbids while no change is open. */
function refusalOf(request: QuantityRequest, { row, open, isFresh }: Copy): Problem | undefined {
  const decision = check(request, { ...assetStateOf(row), open })
  const isForbidden = isFresh && decision.kind === 'unread'
  return isForbidden && decision.refusal ? answers.decreaseNotAllowed(row, decision.refusal) : undefined
}

/** Whether a write may be sent again whose answer was lost. */
const isRepeatable = (vendor: LocalVendor | GuardedVendor): boolean =>
  vendor.systemOfRecord === 'theirs' && vendor.idempotentWrites !== undefined

async function begin(tx: Transaction, request: QuantityRequest, isRead: boolean): Promise<BeginResult> {
  const { caller, assetId, keyed, quantity } = request
  const { customerId } = caller
  // With a key the row is always locked: two requests with one key come one after the other.
  const unlessOver = keyed ? undefined : quantity
  const locked = await readAsset(tx, customerId, assetId, { lock: true, unlessOver })
  if (locked) return beginLocked(tx, locked, request, isRead)
  const copy = keyed ? undefined : await readCopy(tx, customerId, assetId)
  if (!copy) throw new Problem('not_found')
  const decided = await decide(tx, copy.row, request, { isRead, copy })
  if (isBegun(decided)) return decided
  return beginLocked(tx, await lockLicensed(tx, customerId, assetId), request, isRead)
}

async function beginLocked(
  tx: Transaction,
  row: AssetRow,
  request: QuantityRequest,
  isRead: boolean,
): Promise<BeginResult> {
  const { caller, keyed } = request
  const vendor = vendorOf(row)
  const existing = keyed && (await claimIdempotencyKey(tx, keyed))
  if (existing?.kind === 'answered') return existing
  if (existing?.kind === 'change') {
    const change = await readChange(tx, caller.customerId, existing.changeId)
    // One that was withdrawn came to nothing, too: the call runs again.
    if (change && !isOver(change)) return joined(change, vendor)
  }
  const begun = await firstStep(tx, row, request, isRead)
  if (!keyed || begun.kind === 'outdated') return begun
  if (begun.kind === 'answered') await saveResponse(tx, keyed, begun.answer)
  else await pointKey(tx, keyed, begun.changeId)
  return begun
}

function joined(change: Change, vendor: LocalVendor | GuardedVendor): BeginResult {
  return { kind: 'joined', changeId: change.id, vendor }
}

/** What follows the checks: in books of our own the change itself, else its claim, to ask the vendor after it. */
async function firstStep(
  tx: Transaction,
  row: AssetRow,
  request: QuantityRequest,
  isRead: boolean,
): Promise<BeginResult> {
  const vendor = vendorOf(row)
  const decided = await decide(tx, row, request, { isRead })
  if (isBegun(decided)) return decided
  if (vendor.systemOfRecord === 'theirs') return claimChange(tx, licensed(row), vendor, request)
  if (decided.kind === 'unread') throw new Error('Books of our own are always read.')
  return { kind: 'answered', answer: await changeLocally(tx, licensed(row), decided, request) }
}

/** What the checks leave to be done, with the asset's row locked. */
type Undone = PredictedOutcome<VendorSeats> | { kind: 'unread' }

function isBegun(decided: BeginResult | Undone): decided is BeginResult {
  return decided.kind !== 'applied' && decided.kind !== 'rejected' && decided.kind !== 'unread'
}

/**
 * The checks, and their answer where they have one. What a fresh copy of the vendor's books forbids is refused without a
 * claim; where the copy is not fresh after it `isRead`, the vendor decides. Of a row that is locked no `copy` was read.
 */
async function decide(
  tx: Transaction,
  row: AssetRow,
  request: QuantityRequest,
  { isRead, copy }: { isRead: boolean; copy?: Copy },
): Promise<BeginResult | Undone> {
  const { customerId } = request.caller
  const vendor = vendorOf(row)
  const context =
    vendor.systemOfRecord === 'ours'
      ? {
          predictOutcome: (quantityState: LicenseState) =>
            vendor.predictOutcome(quantityState, request.quantity),
        }
      : { open: copy ? copy.open : await findOpenChange(tx, customerId, row.id) }
  const decision = check(request, { ...assetStateOf(row), ...context })
  if (decision.kind === 'refused') {
    return { kind: 'answered', answer: await answers.violationProblem(tx, customerId, row, decision) }
  }
  if ('open' in decision) {
    if (decision.kind === 'in_progress') throw answers.otherChange(decision.open)
    return joined(decision.open, vendor)
  }
  if (decision.kind === 'unchanged') return { kind: 'answered', answer: replyOf(row) }
  if (decision.kind !== 'unread' || !decision.refusal || vendor.systemOfRecord === 'ours') return decision
  const known = copy ?? (await readCopy(tx, customerId, row.id))
  if (known?.isFresh) return { kind: 'answered', answer: answers.decreaseNotAllowed(row, decision.refusal) }
  return isRead ? decision : { kind: 'outdated', row, vendor }
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
    return answers.rejected(prediction)
  }
  // Written together, in one round trip; they stand or fall together in any case.
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
): Promise<BeginResult> {
  if (vendor.pausedFor() > 0) {
    throw answers.vendorUnavailable(vendor.label, vendor.pausedFor(), vendor.pausedWhy())
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

/** Between two looks at a change that another request carries out or asks for, in milliseconds. */
const POLL_INTERVAL_MS = 150

/**
 * Waits for what becomes of a change, as long as another request may take to carry it out, and answers with it. The
 * answer is kept under the request's key.
 * @param label the vendor's name for people
 * @returns undefined where the change was withdrawn and came to nothing
 * @throws Problem `vendor_unavailable` where it failed: asking again is safe; `outcome_unknown` where it is open still,
 * or nobody can tell
 */
function awaitAnswer(
  request: QuantityRequest,
  changeId: string,
  label: string,
): Promise<Answer<Asset> | undefined> {
  return pollForAnswer(request, changeId, label).catch((error) => {
    if (error instanceof Problem) throw error
    // The change may have been made, whatever keeps us from finding out or writing that down.
    logFailure({ status: 504 }, error, request.requestId)
    throw answers.outcomeUnknown(label, changeId)
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
  if (state === 'FAILED') throw answers.vendorUnavailable(label)
  if (state === 'UNCLEAR') throw answers.outcomeUnclear(change, label)
  if (state !== 'APPLIED' && state !== 'REJECTED') throw answers.outcomeUnknown(label, changeId)
  return withAsset(request, async (tx, row) => {
    const reason = vendorReason ?? 'The vendor refused it.'
    const answer = state === 'APPLIED' ? replyOf(row) : answers.rejected({ code: 'vendor_rejected', reason })
    return saveResponse(tx, keyed, answer)
  })
}

/**
 * Returns whether the outcome may be known in a moment: a request or a read is under way, or the vendor has an order.
 */
function shouldWait(change: ReconciledChange | undefined): boolean {
  if (isInProgress(change)) return true
  return change?.state === 'UNKNOWN' && (change.isBeingPolled === true || change.pollRef !== null)
}
