import 'server-only'
import { customersWithAccountMails } from '#lib/identity/access/due-work.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { accountMails } from '#lib/platform/db/schema/access/sign-ins.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type Delivery, deliver } from '#lib/platform/mail/mailer.ts'
import { recordOutcome } from '#lib/platform/mail/queue.ts'
import { type MailConfig, mailSettings } from '#lib/platform/mail/settings.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { mailLinks, mailRecoveries } from './links.ts'
import { messageOf } from './message.ts'
import { claimMail, type DueMail, endedBy } from './store.ts'

/**
 * Sends the mails that notify members of new passwords and of sign-ins from new devices, and those with links. Does
 * nothing without a mail server. Safe to run in several processes concurrently; temporary failures are retried for a
 * day.
 * @returns how many were sent
 * @throws Error where the mail server is unavailable: the remaining mails are not attempted then
 */
export async function notifyMembers(requestId: string, signal: AbortSignal): Promise<number> {
  const mail = mailSettings()
  if (!mail) return 0
  let count = await mailRecoveries(mail, requestId, signal)
  for (const customerId of await customersWithAccountMails()) {
    for (let kind = await sendNext(mail, customerId, requestId); kind; ) {
      if (kind === 'sent') count += 1
      kind = signal.aborted ? undefined : await sendNext(mail, customerId, requestId)
    }
    count += await mailLinks(mail, customerId, requestId, signal)
    if (signal.aborted) break
  }
  return count
}

/** Members also sign in to a closed customer, and are notified of it. */
const EVEN_IF_CLOSED = { evenIfClosed: true }

/** Sends one mail of a customer and returns its outcome; undefined where none is due. */
async function sendNext(mail: MailConfig, customerId: CustomerId, requestId: string) {
  const due = await scope({ customerId }, (tx) => claimMail(tx, customerId), EVEN_IF_CLOSED)
  if (!due) return undefined
  const delivery = await send(mail, customerId, due)
  const { kind } = delivery
  if (kind !== 'sent') log().warn({ requestId, customerId, mail: due.id, ...delivery }, 'member not told')
  if (kind === 'away') throw new Error(`The mail server could not be used: ${delivery.reason}`)
  return kind
}

async function send(mail: MailConfig, customerId: CustomerId, due: DueMail): Promise<Delivery> {
  const delivery = await deliver(mail, due.email, messageOf(due, env().baseUrl), `account.${due.id}`)
  const note = (tx: Transaction) =>
    recordOutcome(tx, customerId, accountMails, { id: due.id, ...endedBy(delivery) })
  await scope({ customerId }, note, EVEN_IF_CLOSED)
  return delivery
}
