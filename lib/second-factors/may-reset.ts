import 'server-only'
import { callerNow } from '#lib/access/authority/caller-now.ts'
import type { Caller } from '#lib/access/rules.ts'
import { checkPermission } from '#lib/api/operation.ts'
import { Problem } from '#lib/api/problem.ts'
import { readScope } from '#lib/db/scope.ts'
import { holdingOf } from '#lib/members/holding.ts'
import { holdsAll } from '#lib/members/rules.ts'
import { standingOf } from '#lib/members/serialize.ts'
import { readMember } from '#lib/members/store/read.ts'

/**
 * Whether the caller may take a member's factors away: another one does, who has all that the member has, as with links.
 * @throws Problem `not_found`, `permission_denied`
 */
export async function checkMayReset(asked: Caller, memberId: string): Promise<void> {
  await readScope(asked, async (tx) => {
    const caller = await callerNow(tx, asked)
    checkPermission(caller, 'members-manager')
    const member = await readMember(tx, caller.customerId, memberId)
    if (!member) throw new Problem('not_found')
    if (caller.via === 'session' && caller.id === memberId)
      throw new Problem('permission_denied', 'Another Admin resets yours. You remove them yourself.')
    if (!holdsAll(await holdingOf(tx, caller), standingOf(member)))
      throw new Problem(
        'permission_denied',
        'This member has roles or billing profiles that you do not have.',
      )
  })
}
