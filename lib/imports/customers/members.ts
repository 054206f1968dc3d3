import 'server-only'
import { and, eq } from 'drizzle-orm'
import * as directory from '#lib/access/directory.ts'
import { addLink, mailLink } from '#lib/access/links/store.ts'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { members } from '#lib/db/schema/customers.ts'
import type { GivenMember } from './shapes.ts'
import type { StoredMember } from './stored.ts'
import type { Told } from './told.ts'

/** How somebody takes up a membership that is new: the secret of a link, which is shown once. */
export type Invitation = { customer: string; email: string; name: string; secret: string; expiresAt: Date }

/**
 * Invites a member who is new, and changes what is given of one who is there.
 * @param how.isMailed whether a job mails the link, which nobody else gets to see then
 * @returns the invitation of a new one, where it is not mailed
 */
export async function saveMember(
  tx: Transaction,
  customerId: CustomerId,
  { email, name, roles, billingProfiles }: GivenMember,
  before: StoredMember | undefined,
  { told, isMailed }: { told: Told; isMailed: boolean },
): Promise<Omit<Invitation, 'customer'> | undefined> {
  if (!before) {
    const given = {
      email,
      name: name ?? '',
      roles: roles ?? [],
      ...(billingProfiles ? { billingProfiles } : {}),
    }
    const id = await directory.addMember(tx, customerId, given)
    await told('member.added', id, given)
    await told('invitation.made', id, { email, by: isMailed ? 'mail' : 'link' })
    const invitation = { memberId: id, kind: 'invitation', by: 'operator' } as const
    if (isMailed) return void (await mailLink(tx, customerId, invitation))
    const link = await addLink(tx, customerId, invitation)
    return { email, name: given.name, ...link }
  }
  const own = and(eq(members.customerId, customerId), eq(members.id, before.id))
  const isOther = (given: unknown, known: unknown) =>
    given !== undefined && JSON.stringify(given) !== JSON.stringify(known)
  if (name !== undefined && isOther(name, before.name)) {
    await tx.update(members).set({ name }).where(own)
    await told('member.renamed', before.id, { email, from: before.name, to: name })
  }
  if (roles && isOther(roles, before.roles)) {
    await tx.update(members).set({ roles }).where(own)
    await told('member.roles-set', before.id, { email, from: before.roles, to: roles })
  }
  if (billingProfiles !== undefined && isOther(billingProfiles, before.billingProfiles)) {
    await tx.update(members).set({ billingProfiles }).where(own)
    await told('member.billing-profiles-set', before.id, {
      email,
      from: before.billingProfiles,
      to: billingProfiles,
    })
  }
  return undefined
}
