import 'server-only'
import { authorityIn } from '#lib/access/authority/scope.ts'
import type { Caller } from '#lib/access/rules.ts'
import { checkPermission } from '#lib/api/operation.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Transaction } from '#lib/db/client.ts'
import { holdingOf } from '#lib/members/holding.ts'
import { holdsAll } from '#lib/members/rules.ts'
import { standingOf } from '#lib/members/serialize.ts'
import { lockMembers, readMember } from '#lib/members/store/read.ts'

/**
 * Whether the caller may take a member's factors away: another one does, who has all that the member has, as with links. It is
 * asked in the transaction that takes them, and what it is decided by stays until that ends.
 * @throws Problem `not_found`, `permission_denied`; `unauthenticated` where the caller was shut out meanwhile
 */
export async function checkMayReset(tx: Transaction, asked: Caller, memberId: string): Promise<void> {
  const lock = () => lockMembers(tx, asked.customerId, [memberId])
  const caller = await authorityIn(tx, asked, { before: lock })
  checkPermission(caller, 'members-manager')
  const member = await readMember(tx, asked.customerId, memberId)
  if (!member) throw new Problem('not_found')
  if (caller.via === 'session' && caller.id === memberId)
    throw new Problem('permission_denied', 'Another Admin resets yours. You remove them yourself.')
  if (!holdsAll(await holdingOf(tx, caller), standingOf(member)))
    throw new Problem('permission_denied', 'This member has roles or billing profiles that you do not have.')
}
