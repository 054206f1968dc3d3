import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import type { CustomerId } from '#lib/access/rules.ts'
import { type Answer, keepAnswer } from '#lib/api/idempotency.ts'
import type { Asset } from '#lib/assets/contract.ts'
import { replyOf } from '#lib/assets/serialize.ts'
import { type LicensedRow, lockLicensed } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { scope } from '#lib/db/scope.ts'
import { env } from '#lib/env.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import type { Reading } from '#lib/vendors/vendor.ts'
import { vendorNamed } from '#lib/vendors/vendors.ts'
import * as answers from './answers.ts'
import { observe, refOf } from './observe.ts'
import { type QuantityRequest, withAsset } from './request.ts'
import { provenState } from './rules.ts'
import { changesWithin, readChange } from './store/find.ts'
import { type Change, type Move, moveChange, takeTurn } from './store/transitions.ts'

/** Between two looks at a change that another request carries out, in milliseconds. */
const LOOK_EVERY = 150

/**
 * Waits for what becomes of a change, as long as another request may take to carry it out, and answers with it. The
 * answer is kept under the request's key.
 * @param label the vendor's name for people
 * @returns undefined where the change was withdrawn and came to nothing
 * @throws Problem `vendor_unavailable` where it failed: asking again is safe; `outcome_unknown` where it is open still
 */
export async function awaitAnswer(
  request: QuantityRequest,
  changeId: string,
  label: string,
): Promise<Answer<Asset> | undefined> {
  const { caller, keyed, requestId } = request
  const { readMs, writeMs } = env().vendorTimes
  const deadline = Date.now() + readMs + writeMs
  let change: Change | undefined
  do {
    if (change) await pause(LOOK_EVERY)
    change = await settleChange(caller, changeId, requestId)
  } while (isUnderWay(change) && Date.now() < deadline)
  if (!change) return undefined
  const { state, vendorReason } = change
  if (state === 'FAILED') throw answers.vendorUnavailable(label)
  if (state !== 'APPLIED' && state !== 'REJECTED') throw answers.outcomeUnknown(label, changeId)
  return withAsset(request, async (tx, row) => {
    const reason = vendorReason ?? 'The vendor refused it.'
    const answer = state === 'APPLIED' ? replyOf(row) : answers.rejected({ code: 'vendor_rejected', reason })
    return keepAnswer(tx, keyed, answer)
  })
}

/** Whether a process may be at work on the change. */
function isUnderWay(change: Change | undefined): boolean {
  return change?.state === 'CLAIMED' || change?.state === 'SENT'
}

/**
 * Learns what became of an open change, by reading and by nothing else: it never buys. One whose process died is
 * taken over when its lease has ended: a claim had sent nothing, a sent one is unknown.
 * @returns the change as it is now, open still where the vendor can't tell yet; undefined where it was withdrawn
 */
export async function settleChange(
  who: { customerId: CustomerId },
  changeId: string,
  requestId: string,
): Promise<Change | undefined> {
  const { customerId } = who
  const { change, turn } = await scope(who, (tx) => takeOver(tx, customerId, changeId, requestId))
  if (!turn) return change
  const reading = await turn.vendor.read(refOf(turn.row), AbortSignal.timeout(env().vendorTimes.confirmMs))
  return scope(who, (tx) => judge(tx, customerId, changeId, turn, reading, requestId))
}

/** The turn to ask the vendor. `age` of the change before the read: what is judged is as old as that. */
type Turn = { vendor: GuardedVendor; row: LicensedRow; age: number }

/** Takes a change over whose lease has ended; with a turn where the vendor is to be asked now. */
async function takeOver(
  tx: Transaction,
  customerId: CustomerId,
  changeId: string,
  requestId: string,
): Promise<{ change?: Change | undefined; turn?: Turn }> {
  const { leaseMs, checkMs } = env().vendorTimes
  const unlocked = await readChange(tx, customerId, changeId)
  // As long as its process may be at work, there is nothing to take over, and nobody's row is locked to see that.
  if (!unlocked || (isUnderWay(unlocked) && unlocked.age <= leaseMs)) return { change: unlocked }
  const row = await lockLicensed(tx, customerId, unlocked.assetId)
  const change = await readChange(tx, customerId, changeId)
  const vendor = vendorNamed(row.vendor)
  if (!change || vendor.books === 'ours') return { change }
  if (change.state === 'CLAIMED' && change.age > leaseMs) {
    const vendorReason = 'Nothing was sent: the process that began it ended.'
    const move: Move = { from: ['CLAIMED'], to: 'FAILED', vendorReason, requestId }
    return { change: (await moveChange(tx, customerId, changeId, move)) ?? change }
  }
  if (change.state === 'SENT' && change.age > leaseMs) {
    const vendorReason = 'The process that sent it ended before the answer.'
    await moveChange(tx, customerId, changeId, { from: ['SENT'], to: 'UNKNOWN', vendorReason, requestId })
  }
  const isOurTurn = await takeTurn(tx, customerId, changeId, checkMs)
  return isOurTurn ? { change, turn: { vendor, row, age: change.age } } : { change }
}

/** What a read proves of an unknown change. */
async function judge(
  tx: Transaction,
  customerId: CustomerId,
  changeId: string,
  { vendor, row, age: ageOfRecord }: Turn,
  reading: Reading,
  requestId: string,
): Promise<Change | undefined> {
  const asset = await lockLicensed(tx, customerId, row.id)
  const change = await readChange(tx, customerId, changeId)
  if (change?.state !== 'UNKNOWN' || reading.kind === 'unavailable') return change
  const move = (to: Move['to'], vendorReason?: string) =>
    moveChange(tx, customerId, changeId, { from: ['UNKNOWN'], to, vendorReason, requestId })
  const { settleMs } = vendor
  const { staleMs, writeMs } = env().vendorTimes
  // The call left after its record, within the time of a write; and it took no longer than that again.
  const age = ageOfRecord - 2 * writeMs
  if (reading.kind === 'missing') return age <= settleMs ? change : move('FAILED', reading.reason)

  const { observed } = reading
  const lately = await changesWithin(tx, customerId, row.id, staleMs)
  const state = provenState({
    to: change.toQuantity,
    read: observed.seats.purchased,
    age,
    settleMs,
    hadBefore: lately.some(({ fromQuantity }) => fromQuantity === change.toQuantity),
  })
  if (state === 'UNKNOWN') return change
  const confirmed = state === 'APPLIED'
  const moved = await move(
    state,
    confirmed ? undefined : 'The vendor shows another total: it was not applied.',
  )
  await observe(tx, customerId, asset, { vendor, observed, requestId, confirmed })
  return moved
}
