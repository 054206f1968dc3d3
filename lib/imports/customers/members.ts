import 'server-only'
import { change } from '#lib/identity/members/change.ts'
import { invite } from '#lib/identity/members/invite.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { GivenMember } from './shapes.ts'
import type { StoredMember } from './stored.ts'

/** How somebody takes up a membership that is new: by a link, which is shown once. */
export type Invitation = { customer: string; email: string; name: string; url: string; expiresAt: Date }

/**
 * Invites a member who is new, and changes what is given of one who is there: by the rules that screens and single commands
 * keep to, with their rows of the history.
 * @param operator of the customer
 * @param how.isMailed whether a job mails the link, which nobody else gets to see then
 * @returns the invitation of a new one, where it is not mailed
 * @throws Problem `last_admin`, or what `refusedWith` of lib/identity/members/change.ts says
 */
export async function saveMember(
  tx: Transaction,
  operator: Caller,
  { email, name, roles, billingProfiles }: GivenMember,
  before: StoredMember | undefined,
  how: { requestId: string; isMailed: boolean },
): Promise<Omit<Invitation, 'customer'> | undefined> {
  if (before) {
    await change(tx, operator, before.id, { name, roles, billingProfiles }, how)
    return undefined
  }
  const invited = { email, name: name ?? '', roles: roles ?? [], billingProfiles }
  const { url, expireTime } = (await invite(tx, operator, invited, how)).link
  return url === undefined ? undefined : { email, name: invited.name, url, expiresAt: new Date(expireTime) }
}
