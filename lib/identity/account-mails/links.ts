import 'server-only'
import { claimRecovery, finishRecovery } from '#lib/identity/access/links/recoveries.ts'
import { claimLink, type DueLink } from '#lib/identity/access/links/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { accountLinks } from '#lib/platform/db/schema/access/people.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type Delivery, deliver, type Message } from '#lib/platform/mail/mailer.ts'
import { recordOutcome } from '#lib/platform/mail/queue.ts'
import type { MailConfig } from '#lib/platform/mail/settings.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { NO_ANSWER } from './message.ts'
import { endedBy } from './store.ts'

/** Members also sign in to a closed customer. */
const EVEN_IF_CLOSED = { evenIfClosed: true }

/**
 * Mails a customer's links, each with a secret made on sending.
 * @returns how many were sent
 * @throws Error where the mail server is unavailable: the remaining mails are not attempted then
 */
export async function mailLinks(
  mail: MailConfig,
  customerId: CustomerId,
  requestId: string,
  signal: AbortSignal,
): Promise<number> {
  let count = 0
  while (!signal.aborted) {
    const due = await scope({ customerId }, (tx) => claimLink(tx, customerId), EVEN_IF_CLOSED)
    if (!due) break
    const delivery = await sendLink(mail, customerId, due)
    if (delivery.kind === 'sent') count += 1
    else report(delivery, { requestId, customerId, mail: due.id })
  }
  return count
}

async function sendLink(mail: MailConfig, customerId: CustomerId, due: DueLink): Promise<Delivery> {
  const delivery = await deliver(mail, due.email, linkMessage(due, env().baseUrl), `link.${due.id}`)
  const note = (tx: Transaction) =>
    recordOutcome(tx, customerId, accountLinks, { id: due.id, ...endedBy(delivery) })
  await scope({ customerId }, note, EVEN_IF_CLOSED)
  return delivery
}

/**
 * Mails the links that were requested for forgotten passwords, where the address is known.
 * @returns how many were sent
 * @throws Error where the mail server is unavailable: the remaining mails are not attempted then
 */
export async function mailRecoveries(
  config: MailConfig,
  requestId: string,
  signal: AbortSignal,
): Promise<number> {
  let count = 0
  while (!signal.aborted) {
    const due = await claimRecovery()
    if (!due) break
    if (!due.mail) {
      await finishRecovery(due.id, 'REFUSED', 'Nobody has this address, or it was asked for too long ago.')
      continue
    }
    const { email, secret } = due.mail
    const delivery = await deliver(
      config,
      email,
      recoveryMessage(secret, env().baseUrl),
      `recovery.${due.id}`,
    )
    const { state, reason } = endedBy(delivery)
    await finishRecovery(due.id, state, reason)
    if (delivery.kind === 'sent') count += 1
    else report(delivery, { requestId, mail: due.id })
  }
  return count
}

function report(delivery: Exclude<Delivery, { kind: 'sent' }>, about: object): void {
  log().warn({ ...about, ...delivery }, 'link not mailed')
  if (delivery.kind === 'away') throw new Error(`The mail server could not be used: ${delivery.reason}`)
}

const SIGNATURE = '-- \nThis address gets what concerns the safety of its account. It can not be turned off.'

/** Returns the mail with a link that accepts a membership or sets a new password; plain text only. */
function linkMessage({ kind, secret, customer }: DueLink, baseUrl: string): Message {
  const link = `${baseUrl}/${kind}/${secret}`
  if (kind === 'reset')
    return resetOf(`An Admin of ${customer} has asked for a new password for your account.`, link)
  return messageOf('You are invited', [
    `You are invited to the licenses and invoices of ${customer}.`,
    `To accept, open this link within 7 days. It works once.\n${link}`,
    'If you do not know why you get this mail, there is nothing to do: without the link nobody gets in with your address.',
  ])
}

/** Returns the mail with a recovery link for a forgotten password; plain text only. */
function recoveryMessage(secret: string, baseUrl: string): Message {
  return resetOf('Somebody has asked for a new password for your account.', `${baseUrl}/reset/${secret}`)
}

function resetOf(why: string, link: string): Message {
  return messageOf('Set a new password', [
    `${why} It will open all that you have here, and sign you out wherever you are signed in.`,
    `To set one, open this link within 30 minutes. It works once.\n${link}`,
    'If you did not expect this, there is nothing to do: your password stays as it is.',
  ])
}

function messageOf(subject: string, paragraphs: string[]): Message {
  return { subject, text: `${[...paragraphs, SIGNATURE].join('\n\n')}\n`, headers: NO_ANSWER }
}
