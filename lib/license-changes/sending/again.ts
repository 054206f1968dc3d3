import 'server-only'
import type { Answer } from '#lib/api/idempotency.ts'
import type { Asset } from '#lib/assets/contract.ts'
import { knownOf } from '#lib/assets/seats.ts'
import type { Transaction } from '#lib/db/client.ts'
import { env } from '#lib/env.ts'
import { actorOf } from '#lib/history/audit.ts'
import type { Reading } from '#lib/vendors/vendor.ts'
import { check } from '../checks.ts'
import { observedRow } from '../observe.ts'
import type { Claim, QuantityRequest } from '../request.ts'
import type { Turn } from '../settling/judge.ts'
import { settleChange } from '../settling/settle.ts'
import { readChange } from '../store/find.ts'
import { type Change, moveChange } from '../store/transitions.ts'
import { call, type Sent } from './call.ts'

/**
 * Sends a change again whose answer was lost, because a person or client asks for the same total again, and the vendor
 * says that a write under the same id has one effect. It is read first: only where the vendor shows the very total
 * that was decided on, and all our checks still allow it, it leaves. Of several who ask, one has the turn.
 * @returns undefined where nothing was sent: what became of it is to be waited for
 * @throws Problem `outcome_unknown`, which settles nothing
 */
export async function sendAgain(
  request: QuantityRequest,
  changeId: string,
): Promise<Answer<Asset> | undefined> {
  const recorded: { again?: { claim: Claim; sent: Sent } | undefined } = {}
  const { caller, requestId } = request
  await settleChange(caller, changeId, requestId, async (tx, change, turn, reading) => {
    recorded.again = await recordAgain(tx, request, change, turn, reading)
  })
  return recorded.again && call(request, recorded.again.claim, recorded.again.sent)
}

/** UNKNOWN becomes SENT once more, where it may. The asset's row is locked. */
async function recordAgain(
  tx: Transaction,
  request: QuantityRequest,
  { id, fromQuantity, seenQuantity }: Change,
  { vendor, row }: Turn,
  reading: Reading,
): Promise<{ claim: Claim; sent: Sent } | undefined> {
  const { caller, quantity, requestId } = request
  const { readMs, writeMs } = env().vendorTimes
  const now = await readChange(tx, caller.customerId, id)
  if (reading.kind !== 'read' || !now || seenQuantity !== null) return undefined
  const { observed } = reading
  if (observed.seats.purchased !== fromQuantity) return undefined
  // The first call may be under way there for as long as it could take; and the vendor remembers its id for a while.
  const isOver = now.age > 2 * writeMs
  const isKnown = now.sinceSent + readMs + writeMs < (vendor.idempotentWrites ?? 0)
  if (!isOver || !isKnown) return undefined
  const facts = knownOf(observedRow(row, observed))
  const asked = { quantity, ifMatch: undefined }
  const found = check(asked, { ...facts, foresee: () => vendor.foresee(observed, quantity) })
  if (found.kind !== 'applied') return undefined
  const actor = actorOf(caller)
  const move = { from: ['UNKNOWN'], to: 'SENT', as: 'resent', actor, requestId } as const
  const change = await moveChange(tx, caller.customerId, id, move)
  const at = Date.now()
  return change && { claim: { change, row, vendor, claimedAt: at }, sent: { observed, at, isAgain: true } }
}
