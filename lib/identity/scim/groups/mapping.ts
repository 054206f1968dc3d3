import 'server-only'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { membersOf } from '../store/group-members.ts'
import * as store from '../store/groups.ts'
import { lockThere, regrant } from './change.ts'

/**
 * Says what a group gives to its members, who have it at once. A group that there is not yet is added, so that it can be
 * mapped before the directory fills it.
 * @param given.billingProfiles null: all of the customer's
 * @throws Problem `invalid_request` for an unknown billing profile, `last_admin`
 */
export async function mapGroup(
  tx: Transaction,
  caller: Caller,
  given: { name: string; roles: readonly Role[]; billingProfiles: readonly string[] | null },
  requestId: string,
): Promise<void> {
  const { customerId } = caller
  const { name, roles, billingProfiles } = given
  const known = (await listBillingProfiles(tx, customerId)).map(({ id }) => id)
  const unknown = billingProfiles?.find((id) => !known.includes(id))
  if (unknown !== undefined) throw new Problem('invalid_request', `"${unknown}" is no billing profile.`)
  await store.addGroup(tx, customerId, { displayName: name, roles: null })
  const groups = await store.lockGroups(tx, customerId)
  const group = groups.find(({ displayName }) => displayName.toLowerCase() === name.toLowerCase())
  if (!group) throw new Error('The group that was just added is not there.')
  const ids = (await membersOf(tx, customerId, [group.id])).map(({ id }) => id)
  await lockThere(tx, caller, ids)
  await store.setGroup(tx, customerId, group.id, { roles, billingProfiles })
  await regrant(tx, caller, ids, requestId)
  const event = { action: 'scim-group.mapped', subject: group.id, actor: actorOf(caller), requestId }
  const details = { name, roles: [...roles], profiles: billingProfiles ? [...billingProfiles] : 'all' }
  await recordAudit(tx, customerId, { ...event, details })
}
