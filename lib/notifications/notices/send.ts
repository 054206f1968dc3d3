import 'server-only'
import { customersWithNotices } from '#lib/identity/access/due-work.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type Delivery, deliver } from '#lib/platform/mail/mailer.ts'
import { type MailConfig, mailSettings } from '#lib/platform/mail/settings.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { type PdfAttachment, readAttachments } from './attachments.ts'
import { type Digest, type DigestContent, digestOf, pdfsToAttach } from './digest.ts'
import { listMailChanges } from './licenses.ts'
import { messageOf } from './message.ts'
import { claimMail, giveUp, includesNeeds, listRecipients, setRejected, setSent, withdraw } from './outbox.ts'
import { listMailInvoices, readAddressee, readDays, type To } from './store.ts'
import { listMailNeeds } from './weekly.ts'

/**
 * Sends pending news, at most one mail per recipient. Does nothing without a configured mail server. Safe to run in
 * several processes in parallel; temporary failures are tried by the next run.
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
  const mail = mailSettings()
  if (!mail) return 0
  const errors: unknown[] = []
  const failed = (error: unknown) => void errors.push(error)
  let count = 0
  for (const to of await listAll(only, failed)) {
    if (signal.aborted) break
    const delivery = await sendMail(mail, to).catch(failed)
    if (delivery?.kind === 'sent') count += 1
    else if (delivery) log().warn({ requestId, ...to, ...delivery }, 'notice not sent')
    if (delivery?.kind === 'away') throw new Error(`The mail server could not be used: ${delivery.reason}`)
  }
  if (errors.length > 0) throw new AggregateError(errors, `Notices to ${errors.length} could not be sent.`)
  return count
}

async function listAll(only: CustomerId | undefined, failed: (error: unknown) => void): Promise<To[]> {
  const all: To[] = []
  for (const customerId of only ? [only] : await customersWithNotices()) {
    const ids = await scope({ customerId }, (tx) => listRecipients(tx, customerId)).catch(failed)
    all.push(...(ids ?? []).map((recipientId) => ({ customerId, recipientId })))
  }
  return all
}

/** Sends today's mail to one recipient; undefined without one. */
async function sendMail(mail: MailConfig, to: To): Promise<Delivery | undefined> {
  const claimed = await scope(to, (tx) => claim(tx, to))
  if (!claimed) return undefined
  const { notifiedOn } = claimed
  const delivery = await deliverDigest(mail, to, claimed)
  const recordDelivery = async (tx: Transaction) => {
    if (delivery.kind === 'sent') await setSent(tx, to, notifiedOn)
    else if (delivery.kind === 'refused') await setRejected(tx, to, notifiedOn, delivery)
    else if (delivery.kind !== 'unknown') await withdraw(tx, to, notifiedOn)
  }
  // The mail was sent, even if its customer was removed in the meantime.
  await scope(to, recordDelivery, { evenIfClosed: true })
  return delivery
}

/** Sends the mail with the wanted PDFs, and without them where the mail server refuses the larger message. */
async function deliverDigest(mail: MailConfig, to: To, claimed: Claimed): Promise<Delivery> {
  const { notifiedOn, email, content, context, digest } = claimed
  const send = (attachments: readonly PdfAttachment[]) => {
    const attached = new Set(attachments.map(({ key }) => key))
    const message = messageOf(digestOf(content, { ...context, attached }) ?? digest, to, context.baseUrl)
    const id = `${notifiedOn}.${to.recipientId}`
    return deliver(mail, email, attachments.length > 0 ? { ...message, attachments } : message, id)
  }
  const attachments = await readAttachments(to, pdfsToAttach(content.invoices))
  const delivery = await send(attachments)
  const isTooLarge = delivery.kind === 'refused' && !delivery.address && attachments.length > 0
  return isTooLarge ? send([]) : delivery
}

type Claimed = {
  notifiedOn: string
  email: string
  content: DigestContent
  context: Parameters<typeof digestOf>[1]
  digest: Digest
}

async function claim(tx: Parameters<typeof claimMail>[0], to: To): Promise<Claimed | undefined> {
  const notifiedOn = await claimMail(tx, to)
  const addressee = notifiedOn && (await readAddressee(tx, to))
  if (!notifiedOn || !addressee) return undefined
  const { today } = await readDays(tx, to)
  const content = {
    invoices: await listMailInvoices(tx, to, notifiedOn),
    changes: await listMailChanges(tx, to, notifiedOn),
    needs: (await includesNeeds(tx, to, notifiedOn)) ? await listMailNeeds(tx, to) : [],
  }
  const context = { ...addressee, today, baseUrl: env().baseUrl }
  const digest = digestOf(content, context)
  if (digest) return { notifiedOn, email: addressee.email, content, context, digest }
  // The mail may have been sent before; since then all was paid, or the notices were stopped.
  await giveUp(tx, to, notifiedOn)
  return undefined
}
