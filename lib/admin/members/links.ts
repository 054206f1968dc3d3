import { z } from 'zod'
import type { MemberLink } from '#lib/identity/members/contract.ts'
import { invite } from '#lib/identity/members/invite.ts'
import { linkFor } from '#lib/identity/members/link.ts'
import { lockMember } from '#lib/identity/members/store/read.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { checkedText, rolesOf } from '../command.ts'
import { note, print } from '../terminal.ts'
import { idOf, type Named, operatorOf } from './named.ts'

type Linked = Named & { mail?: boolean }
type NewMember = Linked & { name: string; role: string[]; profile?: string[] }

/** Adds a member, who comes by a link. */
export async function addMember(given: NewMember): Promise<void> {
  checkMail(given)
  const operator = await operatorOf(given)
  const email = given.email.trim()
  if (!z.email().max(254).safeParse(email).success)
    throw new Problem('invalid_request', `"${given.email}" is not an e-mail address.`)
  const name = checkedText('name', given.name)
  const invited = { email, name, roles: rolesOf(given.role), billingProfiles: given.profile }
  const { link } = await scope(operator, (tx) => invite(tx, operator, invited, wayOf(given)))
  tell(link, email)
}

/** A new link for a member. */
export async function reset(given: Linked): Promise<void> {
  checkMail(given)
  const operator = await operatorOf(given)
  const link = await scope(operator, async (tx) => {
    const found = await lockMember(tx, operator.customerId, await idOf(tx, operator, given))
    if (!found) throw new Problem('not_found')
    return linkFor(tx, operator, found.member, wayOf(given))
  })
  tell(link, given.email)
}

function checkMail({ mail }: Linked): void {
  if (mail && !mailSettings())
    throw new Problem('invalid_request', 'There is no mail server: set SMTP_URL and MAIL_FROM.')
}

function wayOf({ mail = false }: Linked) {
  return { requestId: crypto.randomUUID(), isMailed: mail }
}

/** What a command says of a link: the link itself on standard output, or the address that it is mailed to. */
function tell({ url, expireTime }: MemberLink, email: string): void {
  print(url ?? email)
  const until = new Date(expireTime).toISOString().slice(0, 16).replace('T', ' ')
  note(
    url === undefined
      ? 'The running service mails the link within a minute.'
      : `Give this link to ${email} in private: it works once, until ${until} UTC.`,
  )
}
