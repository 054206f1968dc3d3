import 'server-only'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Reading } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { readOwn } from '../reading/read-own.ts'
import { readChange } from '../store/find.ts'
import { type Change, type Move, moveChange } from '../store/transitions.ts'
import { endTurn, takeTurn } from '../store/turns.ts'
import { judge, type Turn } from './judge.ts'
import { lookUp, settleByWord } from './look-up.ts'
import { LONGER_MS } from './proof.ts'

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
