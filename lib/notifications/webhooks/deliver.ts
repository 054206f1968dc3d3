import 'server-only'
import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { notifyAdmins } from '#lib/identity/access/sign-ins/account-mail.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import type { Message } from '#lib/platform/outbox/store.ts'
import type { Channel, DeliveryResult } from '#lib/platform/outbox/worker.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { sendOutbound } from '#lib/platform/runtime/outbound.ts'
import { PRODUCT } from '#lib/platform/runtime/version.ts'
import { GIVE_UP_SECONDS, isAccepted, retrySeconds } from './rules.ts'
import { unsealSecret } from './secrets.ts'
import { webhookSettings } from './settings.ts'
import * as store from './store.ts'

/** Timeout of a call, in milliseconds. */
const TIMEOUT_MS = 5000
/** Stored beginning of a response's body, in bytes. */
const MAX_RESPONSE_BYTES = 2000

/**
 * Webhooks of all customers. A receiver gets each event that its Admin may see at least once, and the events of an
 * object in order (lib/platform/outbox/store.ts); where it fails for days, Admins get a mail. A customer's slow
 * receivers hold its share of the calls only.
 */
export const webhookChannel: Channel = {
  kinds: ['webhook'],
  ...{ leaseSeconds: 30, share: 4, most: 128 },
  isOn: () => true,
  deliver,
}

async function deliver(message: Message): Promise<DeliveryResult> {
  const { customerId, recipient: id } = message
  const content = message.content as store.EventContent
  const endpoint = await readScope(message, (tx) => store.readEndpoint(tx, customerId, id, content.profile))
  if (!endpoint) return rejection('The webhook was removed.')
  if (endpoint.isPaused) return postponed(message, 'The webhook is paused.')
  if (endpoint.isClosed) return postponed(message, 'The customer is closed.')
  if (!endpoint.hasAdmin) {
    const pauseFirst = (tx: Transaction) => pause(tx, message, endpoint, 'ACCESS_LOST')
    return postponed(message, 'The Admin of the webhook has lost access.', pauseFirst)
  }
  if (endpoint.rests) return postponed(message, 'The receiver failed, and is called again later.')
  if (!endpoint.maySee) {
    const result = rejection('The Admin of the webhook may not see the billing profile of this event.')
    return { ...result, record: (tx) => store.releaseMessages(tx, customerId, id) }
  }
  const attempt = await call(message, content, endpoint)
  const addAttempt = (tx: Transaction) => store.addAttempt(tx, customerId, message.id, attempt)
  if (isAccepted(attempt.status ?? undefined))
    return {
      outcome: { state: 'SENT' },
      record: async (tx) => {
        await addAttempt(tx)
        await store.noteSuccess(tx, customerId, id)
      },
    }
  const reason = attempt.reason ?? `The receiver answered ${attempt.status}.`
  const [messageFails, endpointFails] = [message.failingSeconds ?? 0, endpoint.failingSeconds ?? 0]
  const isExhausted = Math.max(messageFails, endpointFails) >= GIVE_UP_SECONDS
  return {
    outcome: { state: 'WAITING', reason, retrySeconds: retrySeconds(messageFails, Math.random()) },
    record: async (tx) => {
      await addAttempt(tx)
      if (isExhausted) await pause(tx, message, endpoint, 'FAILING')
      await store.noteFailure(tx, customerId, id, retrySeconds(endpointFails, Math.random()))
    },
  }
}

const rejection = (reason: string): DeliveryResult => ({ outcome: { state: 'REFUSED', reason } })

/** Returns the result of a message that is not sent now: it waits with the others of its webhook. */
function postponed(
  { customerId, recipient }: Message,
  reason: string,
  before?: (tx: Transaction) => Promise<void>,
): DeliveryResult {
  return {
    outcome: { state: 'WAITING', reason, retrySeconds: 0, isUntried: true },
    record: async (tx) => {
      await before?.(tx)
      await store.holdMessages(tx, customerId, recipient)
    },
  }
}

/** Returns the body of an event: kind, time, ids and version. The receiver reads the rest with the API. */
export function bodyOf(
  { kind, ids, at, version }: store.EventContent,
  created: { at: Date; seq: string },
): string {
  const timestamp = at ?? created.at.toISOString()
  return JSON.stringify({ type: kind, timestamp, data: { ...ids, version: version ?? Number(created.seq) } })
}

/** Calls the endpoint once, signed as Standard Webhooks describes. Never throws. */
async function call(
  message: Message,
  content: store.EventContent,
  { url, secret, formerSecret }: store.Endpoint,
): Promise<store.Attempt> {
  const at = new Date()
  const started = performance.now()
  const body = bodyOf(content, { at: message.createdAt, seq: message.seq })
  const send = async () => {
    const signatures = [secret, formerSecret].flatMap((sealed) =>
      sealed === null
        ? []
        : new Webhook(unsealSecret(message.customerId, message.recipient, sealed)).sign(
            content.event,
            at,
            body,
          ),
    )
    return sendOutbound({
      ...{ url, method: 'POST', body, allowed: webhookSettings() },
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': `${PRODUCT} (webhooks)`,
        'webhook-id': content.event,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signatures.join(' '),
      },
      ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES, isCut: true },
    })
  }
  const answer = await send().catch((error: unknown) => ({ reason: reasonOf(error).slice(0, 300) }))
  const [status, response] =
    'status' in answer
      ? [answer.status, answer.body.toString('utf8').replaceAll('\0', '\uFFFD')]
      : [null, null]
  const tookMs = Math.round(performance.now() - started)
  const reason = 'reason' in answer ? answer.reason.replaceAll('\0', '\uFFFD') : null
  return { number: message.attempts, at: at.toISOString(), tookMs, url, status, response, reason }
}

/** Pauses the webhook and mails the Admins, once. */
async function pause(
  tx: Transaction,
  { customerId, recipient: id }: { customerId: CustomerId; recipient: string },
  { name }: Pick<store.Endpoint, 'name'>,
  reason: 'FAILING' | 'ACCESS_LOST',
): Promise<void> {
  if (!(await store.pauseWebhook(tx, customerId, id, reason))) return
  const requestId = `outbox-${randomUUID()}`
  log().warn({ requestId, customerId, webhook: id, reason }, 'webhook paused')
  const event = { action: 'webhook.paused', subject: id, actor: OPERATOR, requestId }
  await recordAudit(tx, customerId, { ...event, details: { name, reason } })
  await notifyAdmins(tx, customerId, 'webhook-paused', name)
}
