import 'server-only'
import { sql } from 'drizzle-orm'
import { RECOVERY_SECONDS, startRecovery } from '#lib/identity/access/links/recoveries.ts'
import { setLinkMail, startLink } from '#lib/identity/access/links/store.ts'
import type { AccountMail } from '#lib/identity/access/sign-ins/account-mail.ts'
import type { MailKind } from '#lib/platform/outbox/mail.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { linkMail, type MemberNotice, messageOf, recoveryMail } from './message.ts'

const [MINUTE, DAY] = [60, 86_400]
const WITHIN_A_DAY = { retrySeconds: 5 * MINUTE, usefulSeconds: DAY }

/** Mail to a member about an event of their account: see `enqueueAccountMail`. */
const account: MailKind = {
  ...{ kind: 'account', ...WITHIN_A_DAY },
  async render(tx, { customerId, recipient, content, createdAt }) {
    const { event, address, userAgent, keyId, about, at = createdAt } = content as AccountMail
    const { rows } = await tx.execute<
      Pick<MemberNotice, 'customer' | 'keyName' | 'keyEnds'> & { to: string }
    >(sql`
      SELECT m.email AS "to", c.name AS customer, k.name AS "keyName", k.expires_at AS "keyEnds"
      FROM members m
      JOIN customers c ON c.id = ${customerId}
      LEFT JOIN api_keys k ON k.customer_id = ${customerId} AND k.id = ${keyId ?? null}
      WHERE m.customer_id = ${customerId} AND m.id = ${recipient}`)
    const [row] = rows
    if (!row) return undefined
    const { to, keyEnds, ...names } = row
    const optional = { address: address ?? null, userAgent: userAgent ?? null, about: about ?? null }
    const times = { at: new Date(at), keyEnds: keyEnds && new Date(keyEnds) }
    return { to, mail: messageOf({ event, ...names, ...optional, ...times }, env().baseUrl) }
  },
}

/** Mail with a link for a member: see `mailLink`. */
const link: MailKind = {
  ...{ kind: 'link', ...WITHIN_A_DAY },
  async render(tx, { customerId, recipient }) {
    const started = await startLink(tx, customerId, recipient)
    return started && { to: started.email, mail: linkMail(started, env().baseUrl) }
  },
  record: (tx, { customerId, recipient }, outcome) => setLinkMail(tx, customerId, recipient, outcome),
}

/** Mail with a link for a forgotten password: see `requestRecovery`. */
const recovery: MailKind = {
  ...{ kind: 'recovery', retrySeconds: MINUTE, usefulSeconds: RECOVERY_SECONDS },
  async render(_, { recipient }) {
    const started = await startRecovery(recipient)
    return started && { to: started.email, mail: recoveryMail(started, env().baseUrl) }
  },
}

/** Mails to members: about their accounts, and with links. */
export const MEMBER_MAILS: readonly MailKind[] = [account, link, recovery]
