import type { MemberRow } from '#lib/access/directory.ts'
import type { LinkKind } from '#lib/access/links/rules.ts'
import { addLink, addressOf, mailLink } from '#lib/access/links/store.ts'
import type { CustomerId } from '#lib/access/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Transaction } from '#lib/db/client.ts'
import { env } from '#lib/env.ts'
import { OPERATOR } from '#lib/history/audit.ts'
import { recordDeed } from './command.ts'
import { note, print } from './terminal.ts'

/** Whether a link is mailed to its member, and not printed. */
export type Mailed = { mail?: boolean }

/** @throws Problem where a link is to be mailed, and no mail server is set */
export function checkMail({ mail }: Mailed): void {
  if (mail && !env().mail)
    throw new Problem('invalid_request', 'There is no mail server: set SMTP_URL and MAIL_FROM.')
}

/** What a command says of a link: `result` on standard output. */
type Made = { result: string; remark: string }

/** Makes a link for a member: an invitation for who has not come yet, else one for a new password. */
export async function makeLink(
  tx: Transaction,
  customerId: CustomerId,
  { id, email, invitedAt }: Pick<MemberRow, 'id' | 'email' | 'invitedAt'>,
  { mail }: Mailed,
): Promise<Made> {
  const kind: LinkKind = invitedAt === null ? 'reset' : 'invitation'
  const link = { memberId: id, kind, by: OPERATOR.id }
  await recordDeed(tx, customerId, `${kind}.made`, id, { email, by: mail ? 'mail' : 'link' })
  if (mail) {
    await mailLink(tx, customerId, link)
    return { result: email, remark: 'The running service mails the link within a minute.' }
  }
  const { secret, expiresAt } = await addLink(tx, customerId, link)
  const until = expiresAt.toISOString().slice(0, 16).replace('T', ' ')
  const remark = `Give this link to ${email} in private: it works once, until ${until} UTC.`
  return { result: addressOf(kind, secret), remark }
}

/** Says what was made, once it is kept. */
export function tell({ result, remark }: Made): void {
  print(result)
  note(remark)
}
