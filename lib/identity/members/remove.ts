import 'server-only'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { change } from './change.ts'
import { setRemoved } from './store/write.ts'

/**
 * Takes a member away for good, as a directory asks for it: disabled, in no list, and without the keys that they made. The
 * row stays, since the history and the keys name it. Whoever adds the address again makes a new membership of it.
 * @throws Problem `not_found`, `last_admin`
 */
export async function remove(
  tx: Transaction,
  caller: Caller,
  memberId: string,
  requestId: string,
): Promise<void> {
  const { customerId } = caller
  const { email } = await change(tx, caller, memberId, { disabled: true }, { requestId })
  const keys = await setRemoved(tx, customerId, memberId)
  const event = { action: 'member.removed', subject: memberId, actor: actorOf(caller), requestId }
  await recordAudit(tx, customerId, { ...event, details: { email, keys } })
}
