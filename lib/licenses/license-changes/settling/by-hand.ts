import 'server-only'
import { randomUUID } from 'node:crypto'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { readNow } from '../reading/read-now.ts'
import { readChange } from '../store/find.ts'
import { type Change, moveChange } from '../store/transitions.ts'

/**
 * Settles a change by the operator's word: one that is unclear, or one that is unknown still when the vendor can not be
 * late any more. Its asset keeps the seats that it has; the vendor is read at once, whose word they follow.
 * @param reason why, in words for people: they stand in the history
 * @throws Problem where it is settled, or may settle by itself yet
 */
export async function settleByHand(
  customerId: CustomerId,
  changeId: string,
  { as, reason }: { as: 'APPLIED' | 'FAILED'; reason: string },
): Promise<Change> {
  const requestId = randomUUID()
  const settled = await scope({ customerId }, async (tx) => {
    const unlocked = await readChange(tx, customerId, changeId)
    if (!unlocked) throw new Problem('not_found', `There is no change ${changeId}.`)
    const vendor = vendorOf(await lockLicensed(tx, customerId, unlocked.assetId))
    const change = (await readChange(tx, customerId, changeId)) ?? unlocked
    const settleMs = vendor.books === 'theirs' ? vendor.settleMs : 0
    if (change.state === 'UNKNOWN' && change.age <= settleMs) {
      const at = new Date(Date.now() + settleMs - change.age).toISOString().slice(0, 16).replace('T', ' ')
      throw new Problem(
        'change_in_progress',
        `${vendor.label} may still do it until ${at} UTC. Settle it then.`,
      )
    }
    const moved = await moveChange(tx, customerId, changeId, {
      from: ['UNKNOWN', 'UNCLEAR'],
      to: as,
      vendorReason: `Settled by hand: ${reason}`,
      settledBy: OPERATOR.id,
      actor: OPERATOR,
      requestId,
    })
    if (!moved)
      throw new Problem(
        'change_in_progress',
        `The change ${changeId} is ${change.state}: there is nothing to settle.`,
      )
    return moved
  })
  await readNow(customerId, [settled.assetId], requestId)
  return settled
}
