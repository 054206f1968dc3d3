import 'server-only'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { actorOf } from '#lib/platform/history/audit.ts'
import * as answers from '../answers.ts'
import { isOpen } from '../rules.ts'
import { writeAcknowledgement } from '../store/acknowledgement.ts'
import { readChange } from '../store/find.ts'
import { type ChangeRow, findChange } from '../store/list.ts'

/**
 * Keeps that the customer has compared an unclear change with the vendor's books. It settles nothing: the state stays
 * for the operator, but the change's Idempotency-Key is free for a decision on a fresh read. Once more changes nothing.
 * @returns the change as it is now
 * @throws Problem `not_found`; `change_in_progress` while it is open; `change_settled` where its outcome is known
 */
export async function acknowledge(
  caller: Caller,
  changeId: string,
  requestId: string,
): Promise<Omit<ChangeRow, 'micros'>> {
  const { customerId } = caller
  return scope(caller, async (tx) => {
    const unlocked = await readChange(tx, customerId, changeId)
    if (!unlocked) throw new Problem('not_found')
    // Also an operator may be settling it: locks in one order.
    await lockLicensed(tx, customerId, unlocked.assetId)
    await writeAcknowledgement(tx, customerId, changeId, { actor: actorOf(caller), requestId })
    const row = await findChange(tx, customerId, changeId)
    if (!row) throw new Problem('not_found')
    const { change } = row
    if (change.acknowledgedAt !== null) return row
    if (isOpen(change.state)) throw answers.otherChange(change)
    const detail = `This change is ${change.state}: there is nothing to acknowledge.`
    throw new Problem('change_settled', detail)
  })
}
