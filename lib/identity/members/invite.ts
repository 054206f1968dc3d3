import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { type Actor, actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { givingOf, violationProblem } from './change.ts'
import type { MemberLink } from './contract.ts'
import { deliveryMethodOf, makeLink } from './link.ts'
import { type MemberAccess, sortRoles, violationOf } from './rules.ts'
import { addMember, type MemberRow, readMember } from './store.ts'

type Invited = {
  email: string
  name: string
  roles: MemberAccess['roles']
  billingProfiles?: MemberAccess['billingProfiles'] | undefined
}

/**
 * Adds a member who joins by a link, whether the address is a member of another customer or not.
 * @param isMailed whether the link is mailed; defaults to whether a mail server is configured
 * @throws Problem `member_exists`, where it is a member of this customer, or a problem of `violationProblem`
 */
export async function invite(
  tx: Transaction,
  caller: Caller,
  invited: Invited,
  { requestId, isMailed }: { requestId: string; isMailed?: boolean | undefined },
): Promise<{ row: MemberRow; link: MemberLink }> {
  const { customerId } = caller
  const { id, email, name, roles, billingProfiles } = await add(tx, caller, invited)
  const link = await makeLink(tx, caller, { id, email }, { kind: 'invitation', isMailed })
  const details = { email, name, roles, profiles: billingProfiles ?? 'all', by: deliveryMethodOf(link) }
  const event = { action: 'member.invited', subject: id, actor: actorOf(caller), requestId, details }
  await recordAudit(tx, customerId, event)
  const row = await readMember(tx, customerId, id)
  if (!row) throw new Error('The member who was just added is not there.')
  return { row, link }
}

/**
 * Adds a member named by a directory, who joins by single sign-on, or by a link that an Admin makes.
 * @returns the member's id
 * @throws Problem as `invite` does
 */
export async function addWithoutLink(
  tx: Transaction,
  caller: Caller,
  invitation: Invited,
  requestId: string,
): Promise<string> {
  const { id, email, name, roles } = await add(tx, caller, invitation)
  const details = { email, name, roles }
  const event = { action: 'member.added', subject: id, actor: actorOf(caller), requestId, details }
  await recordAudit(tx, caller.customerId, event)
  return id
}

async function add(
  tx: Transaction,
  caller: Caller,
  { email, name, roles: requestedRoles, billingProfiles: profiles = null }: Invited,
) {
  const { customerId } = caller
  const roles = sortRoles(requestedRoles)
  const billingProfiles = profiles && [...new Set(profiles)]
  const violation = violationOf({ roles, billingProfiles }, await givingOf(tx, caller))
  if (violation) throw violationProblem(violation, caller)
  const addedBy = nameOf(actorOf(caller))
  const id = await addMember(tx, customerId, { email, name, roles, billingProfiles, addedBy })
  if (id === undefined)
    throw new Problem(
      'member_exists',
      `There is a member with the address ${email} already, or one who is invited.`,
      {
        errors: [{ pointer: '/email', detail: 'is a member already, or is invited' }],
      },
    )
  return { id, email, name, roles, billingProfiles }
}

function nameOf({ kind, name }: Actor): string {
  return kind === 'key' ? `API key ${name}` : name
}
