import 'server-only'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type Delivery, deliver, type Message as Mail } from '#lib/platform/mail/mailer.ts'
import { type MailConfig, mailSettings } from '#lib/platform/mail/settings.ts'
import type { Message, Outcome } from './store.ts'
import type { Channel, DeliveryResult } from './worker.ts'

/** Mail with its address. */
export type Rendered = {
  to: string
  mail: Mail
  /** Returns the mail with its attachments, which is sent first; undefined where it has none. */
  withAttachments?: () => Promise<Mail | undefined>
}

/** Renderer and retry policy of a kind of mail. */
export type MailKind = {
  kind: string
  /** Returns the mail and its address; undefined where it is obsolete. A repeated mail is rendered again. */
  render(tx: Transaction, message: Message): Promise<Rendered | undefined>
  /** Records the outcome in the tables of the kind, in the transaction of the outcome. */
  record?(
    tx: Transaction,
    message: Message,
    outcome: Outcome,
    delivery: Delivery | undefined,
  ): Promise<unknown>
  /** Returns the id of the mail, the same for each attempt; the id of the message by default. */
  idOf?(message: Message): string
  /** Returns the outcome of a delivery where it differs from the usual one. */
  outcomeOf?(delivery: Delivery): Outcome | undefined
  /** Number of times that a mail may leave; without it, once, and again where its process died. */
  maxAttempts?: number
  /** Time between attempts while the mail server refuses temporarily, and after which the mail is useless. */
  retrySeconds: number
  usefulSeconds: number
}

const OBSOLETE = { state: 'REFUSED', reason: 'It is not needed any more.' } as const

/**
 * Returns the channel of mails. Mails of a customer are sent one after the other. A mail that may have left is not
 * repeated, unless its process died.
 */
export function mailChannel(kinds: readonly MailKind[]): Channel {
  const byName = new Map(kinds.map((one) => [one.kind, one]))
  return {
    kinds: [...byName.keys()],
    // A mail takes two minutes at most.
    ...{ leaseSeconds: 600, share: 1, most: 4 },
    isOn: () => mailSettings() !== undefined,
    deliver(message) {
      const kind = byName.get(message.kind)
      const config = mailSettings()
      if (!kind || !config) throw new Error('No mail server is configured.')
      return send(kind, config, message)
    },
  }
}

async function send(kind: MailKind, config: MailConfig, message: Message): Promise<DeliveryResult> {
  const unsent = reasonNotToSend(kind, message)
  const render = (tx: Transaction) => kind.render(tx, message)
  const rendered = unsent ? undefined : await scope(message, render, { evenIfClosed: true })
  const id = kind.idOf?.(message) ?? `${kind.kind}.${message.id}`
  const delivery = rendered && (await deliverRendered(config, rendered, id))
  const outcome = delivery
    ? (kind.outcomeOf?.(delivery) ?? outcomeOf(delivery, kind, message))
    : (unsent ?? OBSOLETE)
  const unavailable =
    delivery?.kind === 'away' ? `The mail server could not be used: ${delivery.reason}` : undefined
  return { outcome, unavailable, record: async (tx) => kind.record?.(tx, message, outcome, delivery) }
}

/** Sends the mail with its attachments, and without them where the mail server refuses the larger message. */
async function deliverRendered(config: MailConfig, rendered: Rendered, id: string): Promise<Delivery> {
  const larger = await rendered.withAttachments?.()
  const delivery = await deliver(config, rendered.to, larger ?? rendered.mail, id)
  const isTooLarge = larger && delivery.kind === 'refused' && !delivery.address
  return isTooLarge ? deliver(config, rendered.to, rendered.mail, id) : delivery
}

/** Returns the outcome of a mail that may have left as often as it may, or is useless by now. */
function reasonNotToSend(
  { maxAttempts, usefulSeconds }: MailKind,
  { attempts, ageSeconds }: Message,
): Outcome | undefined {
  if (maxAttempts !== undefined && attempts > maxAttempts)
    return { state: 'UNKNOWN', reason: 'It may have left, and is not sent again.' }
  return ageSeconds > usefulSeconds
    ? { state: 'REFUSED', reason: 'It could not be sent in time.' }
    : undefined
}

function outcomeOf(
  delivery: Delivery,
  { maxAttempts = 1, retrySeconds }: MailKind,
  { attempts }: Message,
): Outcome {
  if (delivery.kind === 'sent') return { state: 'SENT' }
  const { kind, reason } = delivery
  if (kind === 'refused') return { state: 'REFUSED', reason }
  if (kind === 'unknown' && attempts >= maxAttempts) return { state: 'UNKNOWN', reason }
  return { state: 'WAITING', reason, retrySeconds }
}
