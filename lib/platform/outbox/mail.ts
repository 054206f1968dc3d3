import 'server-only'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type Delivery, deliver, type Message as Mail } from '#lib/platform/mail/mailer.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import type { Message, Outcome } from './store.ts'
import type { Channel } from './worker.ts'

/** Renderer and retry policy of a kind of mail. */
export type MailKind = {
  kind: string
  /** Returns the mail and its address; undefined where it is obsolete. A repeated mail is rendered again. */
  render(tx: Transaction, message: Message): Promise<{ to: string; mail: Mail } | undefined>
  /** Records the outcome in the tables of the kind, in the transaction of the outcome. */
  record?(
    tx: Transaction,
    message: Message,
    outcome: Outcome,
    delivery: Delivery | undefined,
  ): Promise<unknown>
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
    async deliver(message) {
      const kind = byName.get(message.kind)
      const config = mailSettings()
      if (!kind || !config) throw new Error('No mail server is configured.')
      const isExpired = message.ageSeconds > kind.usefulSeconds
      const rendered = isExpired
        ? undefined
        : await scope(message, (tx) => kind.render(tx, message), { evenIfClosed: true })
      const delivery =
        rendered && (await deliver(config, rendered.to, rendered.mail, `${kind.kind}.${message.id}`))
      const outcome = delivery
        ? outcomeOf(delivery, kind.retrySeconds)
        : { ...OBSOLETE, ...(isExpired ? { reason: 'It could not be sent in time.' } : {}) }
      return {
        outcome,
        record: async (tx) => kind.record?.(tx, message, outcome, delivery),
        ...(delivery?.kind === 'away'
          ? { unavailable: `The mail server could not be used: ${delivery.reason}` }
          : {}),
      }
    },
  }
}

function outcomeOf(delivery: Delivery, retrySeconds: number): Outcome {
  if (delivery.kind === 'sent') return { state: 'SENT' }
  const { kind, reason } = delivery
  if (kind === 'refused') return { state: 'REFUSED', reason }
  if (kind === 'unknown') return { state: 'UNKNOWN', reason }
  return { state: 'WAITING', reason, retrySeconds }
}
