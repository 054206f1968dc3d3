import 'server-only'
import type { Caller } from '#lib/access/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Transaction } from '#lib/db/client.ts'
import { type Actor, actorOf, recordAudit } from '#lib/history/audit.ts'
import { givingOf, refusedWith } from './change.ts'
import type { MemberLink } from './contract.ts'
import { makeLink, wayOf } from './link.ts'
import { type Holding, inOrder, refusalOf } from './rules.ts'
import { type MemberRow, readMember } from './store/read.ts'
import { addMember } from './store/write.ts'

type Invited = {
  email: string
  name: string
  roles: Holding['roles']
  billingProfiles?: Holding['billingProfiles'] | undefined
}

/**
 * Adds somebody who comes by a link. Whether the address is a member of another customer is not looked at.
 * @param isMailed whether the link is mailed; where a mail server is set, unless told
 * @throws Problem `member_exists`, where it is one of this customer, or what `refusedWith` says
 */
export async function invite(
  tx: Transaction,
  caller: Caller,
  { email, name, roles: given, billingProfiles: profiles = null }: Invited,
  { requestId, isMailed }: { requestId: string; isMailed?: boolean | undefined },
): Promise<{ row: MemberRow; link: MemberLink }> {
  const { customerId } = caller
  const roles = inOrder(given)
  const billingProfiles = profiles && [...new Set(profiles)]
  const refused = refusalOf({ roles, billingProfiles }, await givingOf(tx, caller))
  if (refused) throw refusedWith(refused)
  const actor = actorOf(caller)
  const id = await addMember(tx, customerId, { email, name, roles, billingProfiles, addedBy: nameOf(actor) })
  if (id === undefined)
    throw new Problem(
      'member_exists',
      `There is a member with the address ${email} already, or one who is invited.`,
      {
        errors: [{ pointer: '/email', detail: 'is a member already, or is invited' }],
      },
    )
  const link = await makeLink(tx, caller, { id, email }, 'invitation', isMailed)
  const details = { email, name, roles, profiles: billingProfiles ?? 'all', by: wayOf(link) }
  await recordAudit(tx, customerId, { action: 'member.invited', subject: id, actor, requestId, details })
  const row = await readMember(tx, customerId, id)
  if (!row) throw new Error('The member who was just added is not there.')
  return { row, link }
}

function nameOf({ kind, name }: Actor): string {
  return kind === 'key' ? `API key ${name}` : name
}
