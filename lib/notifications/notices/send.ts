import 'server-only'
import { customersWithNotices } from '#lib/identity/access/due-work.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { type MailKind, mailChannel } from '#lib/platform/outbox/mail.ts'
import { deliverDue } from '#lib/platform/outbox/worker.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { readAttachments } from './attachments.ts'
import { digestOf, pdfsToAttach } from './digest.ts'
import { listMailChanges } from './licenses.ts'
import { messageOf } from './message.ts'
import { adoptMails, enqueueMail, includesNeeds, listRecipients, recordDelivery } from './outbox.ts'
import { listMailInvoices, readAddressee, readDays } from './store.ts'
import { listMailNeeds } from './weekly.ts'

/** A mail that may have left is sent once more. */
const MAX_ATTEMPTS = 2

/** Mail with the news of a day. Temporary failures are not repeated: the next run sends their news with later ones. */
export const noticeMail: MailKind = {
  ...{ kind: 'notice', retrySeconds: 15 * 60, usefulSeconds: 86_400, maxAttempts: MAX_ATTEMPTS },
  idOf: ({ recipient, content }) => `${content.on}.${recipient}`,
  async render(tx, { customerId, recipient: recipientId, content }) {
    const [to, on] = [{ customerId, recipientId }, String(content.on)]
    const addressee = await readAddressee(tx, to)
    if (!addressee) return undefined
    const { today } = await readDays(tx, to)
    const news = {
      invoices: await listMailInvoices(tx, to, on),
      changes: await listMailChanges(tx, to, on),
      needs: (await includesNeeds(tx, to, on)) ? await listMailNeeds(tx, to) : [],
    }
    const { baseUrl } = env()
    const mailWith = (attached: ReadonlySet<string>) => {
      const digest = digestOf(news, { ...addressee, today, baseUrl, attached })
      return digest && messageOf(digest, to, baseUrl)
    }
    const mail = mailWith(new Set())
    // All was paid since the mail was written, or the notices were stopped.
    if (!mail) return undefined
    const withAttachments = async () => {
      const attachments = await readAttachments(to, pdfsToAttach(news.invoices))
      if (attachments.length === 0) return undefined
      return { ...mail, ...mailWith(new Set(attachments.map(({ key }) => key))), attachments }
    }
    return { to: addressee.email, mail, withAttachments }
  },
  outcomeOf(delivery) {
    if (delivery.kind !== 'later' && delivery.kind !== 'away') return undefined
    return { state: 'REFUSED', reason: `Its news goes into a later mail: ${delivery.reason}` }
  },
  async record(tx, { customerId, recipient: recipientId, content, attempts }, outcome, delivery) {
    const mail = { on: String(content.on), attempts: Math.min(attempts, MAX_ATTEMPTS) }
    if (outcome.state !== 'WAITING') await recordDelivery(tx, { customerId, recipientId }, mail, delivery)
  },
}

const CHANNEL = mailChannel([noticeMail])

/**
 * Sends pending news, at most one mail per recipient. Does nothing without a configured mail server. Safe to run in
 * several processes in parallel.
 * @param signal ends the run after the mail in progress
 * @param only limits the run to this customer
 * @returns the number of sent mails
 * @throws Error where the mail server is unreachable, and no other recipient is tried; AggregateError of the other
 * failures
 */
export async function sendNotices(
  requestId: string,
  signal: AbortSignal,
  only?: CustomerId,
): Promise<number> {
  if (!mailSettings()) return 0
  const errors: unknown[] = []
  const failed = (error: unknown) => void errors.push(error)
  const customers = only ? [only] : await customersWithNotices()
  let count = 0
  for (const customerId of customers) {
    if (signal.aborted) break
    const list = async (tx: Transaction) => {
      await adoptMails(tx, customerId)
      return listRecipients(tx, customerId)
    }
    for (const recipientId of (await scope({ customerId }, list).catch(failed)) ?? []) {
      if (signal.aborted) break
      const to = { customerId, recipientId }
      if (await scope(to, (tx) => enqueueMail(tx, to)).catch(failed))
        count += await deliverDue(CHANNEL, { requestId, signal, only: [customerId] })
    }
  }
  count += await deliverDue(CHANNEL, { requestId, signal, only: customers })
  if (errors.length > 0) throw new AggregateError(errors, `Notices to ${errors.length} could not be sent.`)
  return count
}
