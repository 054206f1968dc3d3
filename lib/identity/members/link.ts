import 'server-only'
import { addLink, addressOf, listOpenLinks, mailLink } from '#lib/identity/access/links/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { accessOf } from './access.ts'
import type { MemberLink } from './contract.ts'
import { holdsAll } from './rules.ts'
import { snapshotOf } from './serialize.ts'
import type { MemberRow } from './store.ts'

/**
 * Makes a new link for a member: an invitation where they have not accepted, otherwise a link for a new password. The
 * holder of a link can sign in as that member, so the caller needs all of the member's access.
 * @throws Problem `member_disabled`, or `permission_denied` where the member has more access
 */
export async function linkFor(
  tx: Transaction,
  caller: Caller,
  member: MemberRow,
  { requestId, isMailed }: { requestId: string; isMailed?: boolean | undefined },
): Promise<MemberLink> {
  const snapshot = snapshotOf(member)
  if (snapshot.state === 'disabled')
    throw new Problem('member_disabled', 'The member is disabled. Enable them first.')
  if (!holdsAll(await accessOf(tx, caller), snapshot))
    throw new Problem('permission_denied', 'This member has roles or billing profiles that you do not have.')
  const kind = snapshot.state === 'invited' ? 'invitation' : 'reset'
  const { id, email } = member
  const link = await makeLink(tx, caller, member, { kind, isMailed })
  const action = kind === 'invitation' ? 'invitation.made' : 'reset.made'
  const event = { action, subject: id, actor: actorOf(caller), requestId }
  await recordAudit(tx, caller.customerId, { ...event, details: { email, by: deliveryMethodOf(link) } })
  return link
}

/**
 * Makes a link and withdraws the former one of its kind. Only the member sees a mailed link; otherwise the link is
 * returned to the caller.
 * @param isMailed defaults to whether a mail server is configured
 */
export async function makeLink(
  tx: Transaction,
  { customerId, id: by }: Caller,
  { id: memberId, email }: Pick<MemberRow, 'id' | 'email'>,
  {
    kind,
    isMailed = mailSettings() !== undefined,
  }: { kind: MemberLink['kind']; isMailed?: boolean | undefined },
): Promise<MemberLink> {
  const link = { memberId, kind, by }
  if (!isMailed) {
    const { secret, expiresAt } = await addLink(tx, customerId, link)
    return { kind, expireTime: expiresAt.getTime(), url: addressOf(kind, secret) }
  }
  await mailLink(tx, customerId, link)
  const made = (await listOpenLinks(tx, customerId, memberId)).find((one) => one.kind === kind)
  if (!made) throw new Error('The link that was just made is not there.')
  return { kind, expireTime: made.expiresAt.getTime(), sentTo: email }
}

/** Returns the delivery method of a link, for the audit log. */
export function deliveryMethodOf({ url }: MemberLink): 'mail' | 'link' {
  return url === undefined ? 'mail' : 'link'
}
