import 'server-only'
import { authorityIn } from '#lib/identity/access/authority/scope.ts'
import { holdingOf } from '#lib/identity/members/holding.ts'
import { holdsAll } from '#lib/identity/members/rules.ts'
import { standingOf } from '#lib/identity/members/serialize.ts'
import { lockMembers, readMember } from '#lib/identity/members/store/read.ts'
import { checkPermission } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'

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
