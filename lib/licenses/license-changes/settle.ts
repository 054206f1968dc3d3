import 'server-only'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Observed, Reading, WriteAnswer } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { isStillAsked, judge, LONGER_MS, type Turn } from './judge.ts'
import { observe, readOwn, refOf } from './reading/read.ts'
import { type Change, type Move, moveChange, readChange } from './store/changes.ts'
import { endTurn, notePollRef, takeTurn } from './store/turns.ts'

/** What to do where a read proves nothing of a change: in the transaction that has judged it. */
export type WhenUnknown = (tx: Transaction, change: Change, turn: Turn, reading: Reading) => Promise<void>

/** `isJob`: nobody waits for it, so that it leaves the vendor's calls to people where they are scarce. */
type How = { whenUnknown?: WhenUnknown; isJob?: boolean }

/**
 * A change, and whether another request or job is asking its vendor at this moment. Where nothing was asked, also how long it
 * has been in its state, in milliseconds.
 */
export type Settled = Change & { isBeingAsked?: boolean; age?: number }

/**
 * Learns what became of an open change, by asking and reading and by nothing else: it never buys. One whose process died
 * is taken over when its lease has ended: a claim had sent nothing, a sent one is unknown.
 * @returns the change as it is now, open still where the vendor can't tell yet; undefined where it was withdrawn
 */
export async function settleChange(
  who: { customerId: CustomerId },
  changeId: string,
  requestId: string,
  { whenUnknown, isJob = false }: How = {},
): Promise<Settled | undefined> {
  const { customerId } = who
  const { change, turn } = await scope(who, (tx) => takeOver(tx, customerId, changeId, requestId))
  if (!turn) return change
  if (isJob && turn.change.age <= turn.vendor.settleMs + LONGER_MS && (await turn.vendor.spare()) > 0) {
    await scope(who, (tx) => endTurn(tx, customerId, changeId, requestId))
    return change
  }
  const told = await lookUp(turn)
  const byWord = told && (await scope(who, (tx) => settleByWord(tx, customerId, turn, told, requestId)))
  if (byWord && byWord.state !== 'UNKNOWN') return byWord
  const reading = await readOwn(turn.vendor, turn.row, vendorTimes().confirmMs)
  return scope(who, async (tx) => {
    const judged = await judge(tx, customerId, changeId, turn, reading, requestId)
    if (judged?.state === 'UNKNOWN') await whenUnknown?.(tx, judged, turn, reading)
    await endTurn(tx, customerId, changeId, requestId)
    return judged
  })
}

/** Takes a change over whose lease has ended; with a turn where the vendor is to be asked now. */
async function takeOver(
  tx: Transaction,
  customerId: CustomerId,
  changeId: string,
  requestId: string,
): Promise<{ change?: Settled | undefined; turn?: Turn }> {
  const { leaseMs, checkMs, confirmMs } = vendorTimes()
  const unlocked = await readChange(tx, customerId, changeId)
  // As long as its process may be at work, there is nothing to take over, and nobody's row is locked to see that.
  if (!unlocked || (isUnderWay(unlocked) && unlocked.age <= leaseMs)) return { change: unlocked }
  const row = await lockLicensed(tx, customerId, unlocked.assetId)
  const change = await readChange(tx, customerId, changeId)
  const vendor = vendorOf(row)
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
  const isOurTurn = await takeTurn(tx, customerId, changeId, { everyMs: checkMs, requestId })
  if (isOurTurn) return { change, turn: { vendor, row, change } }
  // A look-up and a read: whoever asks for longer is dead.
  const isBeingAsked = change.askedFor !== null && change.askedFor < 2 * confirmMs
  return { change: { ...change, isBeingAsked } }
}

/** Whether a process may be at work on the change. */
export function isUnderWay(change: Change | undefined): boolean {
  return change?.state === 'CLAIMED' || change?.state === 'SENT'
}

/** What a vendor says became of a write of ours; undefined where it can't be asked that. */
async function lookUp({ vendor, row, change }: Turn): Promise<WriteAnswer | undefined> {
  const write = { changeId: change.id, pollRef: change.pollRef ?? undefined }
  return vendor.lookup?.(refOf(row), write, AbortSignal.timeout(vendorTimes().confirmMs))
}

/**
 * Settles an unknown change by what its vendor said became of the write.
 * @returns the change as it is now: unknown still where the vendor does not know either
 */
async function settleByWord(
  tx: Transaction,
  customerId: CustomerId,
  turn: Turn,
  told: WriteAnswer,
  requestId: string,
): Promise<Change | undefined> {
  const { vendor, row } = turn
  const { id } = turn.change
  const asset = await lockLicensed(tx, customerId, row.id)
  const change = await readChange(tx, customerId, id)
  if (!isStillAsked(change, turn)) return change
  if ('reason' in told) {
    const { kind, reason } = told
    log().info({ requestId, changeId: id, vendor: vendor.name, kind, reason }, 'vendor was asked for a write')
  }
  if (told.kind === 'unknown') {
    if (told.pollRef !== undefined) await notePollRef(tx, customerId, id, told.pollRef)
    return change
  }
  const observed = told.kind === 'applied' ? withTotal(told.observed, change.toQuantity) : undefined
  const { state: to, ...reasons } = wordOf(
    observed ? { ...told, kind: 'applied', observed } : told,
    change.toQuantity,
    vendor.label,
  )
  const moved = await moveChange(tx, customerId, id, { from: ['UNKNOWN'], to, requestId, ...reasons })
  if (observed) await observe(tx, customerId, asset, { vendor, observed, requestId, confirmed: true })
  return moved
}

/**
 * The subscription as the write made it. It was done, whatever the vendor shows by now: another total is somebody else's
 * change after it, which the next read finds.
 */
function withTotal(observed: Observed, total: number): Observed {
  const { purchased, maximum } = observed.seats
  if (purchased === total) return observed
  const seats = { ...observed.seats, purchased: total, maximum: maximum === purchased ? total : maximum }
  return { ...observed, seats }
}

/**
 * The state of a change by the vendor's word to its write, and why, for people. That it was applied is believed of a
 * subscription alone that shows the total.
 * @param quantity the total that was sent
 */
export function wordOf(told: WriteAnswer, quantity: number, label: string) {
  const vendorRequestId = 'vendorRequestId' in told ? told.vendorRequestId : undefined
  const pollRef = 'pollRef' in told ? told.pollRef : undefined
  const word = <State extends string>(state: State, vendorReason?: string) => ({
    state,
    vendorReason,
    vendorRequestId,
    pollRef,
  })
  if (told.kind === 'applied' && told.observed.seats.purchased === quantity) return word('APPLIED')
  if (told.kind === 'rejected') return word('REJECTED', told.reason)
  if (told.kind === 'not_sent') {
    const isBusy = told.code === 'change_in_progress'
    return word('FAILED', isBusy ? told.reason : `Nothing was changed: ${label} did not take the call.`)
  }
  if (pollRef !== undefined) return word('UNKNOWN', `${label} took the order, and has not done it yet.`)
  return word('UNKNOWN', `${label} was asked, and gave no clear answer.`)
}
