import 'server-only'
import { randomUUID } from 'node:crypto'
import { requirePerson, scopeOfAuthority } from '#lib/identity/access/authority.ts'
import { checkPermission, operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { type AuditEvent, actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { pageOf, readPageToken, TimeKey } from '#lib/platform/lists/paging.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/parameters.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { checkOutbound } from '#lib/platform/runtime/outbound.ts'
import * as contract from './contract.ts'
import { bodyOf } from './deliver.ts'
import { MAX_WEBHOOKS, OVERLAP_HOURS } from './rules.ts'
import { newSigningSecret } from './secrets.ts'
import { serializeDelivery, serializeDetails, serializeWebhook } from './serialize.ts'
import { webhookSettings } from './settings.ts'
import * as store from './store.ts'

/** Responses with a secret must not be cached. */
const NO_STORE = { 'Cache-Control': 'no-store' }

export const listWebhooks = operation(contract.listWebhooks, async (caller) => {
  const rows = await readScope(caller, (tx) => store.listWebhooks(tx, caller))
  return { body: { webhooks: rows.map(serializeWebhook) } }
})

export const readWebhook = operation(contract.readWebhook, async (caller, { params }) => {
  const row = await readScope(caller, (tx) => existing(tx, caller, params.webhook_id))
  return { body: serializeWebhook(row) }
})

export const addWebhook = operation(contract.addWebhook, async (caller, { body }, { requestId }) => {
  const id = randomUUID()
  const { secret, sealed } = newSigningSecret(caller.customerId, id)
  const row = await change(caller, async (tx, now) => {
    const { customerId } = now
    if ((await store.countWebhooks(tx, customerId)) >= MAX_WEBHOOKS)
      throw new Problem('webhooks_full', `A customer has ${MAX_WEBHOOKS} webhooks at most.`)
    const { name, url, kinds = null, billingProfiles = null } = body
    const values = { name, url, kinds, billingProfiles }
    checkValues(values, now)
    await store.addWebhook(tx, customerId, { id, ...values, ownerId: now.id, secret: sealed })
    await record(tx, now, { action: 'webhook.added', subject: id, requestId, details: detailsOf(values) })
    return existing(tx, now, id)
  })
  return { body: { webhook: serializeWebhook(row), secret }, headers: NO_STORE }
})

export const changeWebhook = operation(
  contract.changeWebhook,
  async (caller, { params: { webhook_id: id }, body }, { requestId }) => {
    const row = await change(caller, async (tx, now) => {
      const { customerId } = now
      const before = await existing(tx, now, id)
      const { paused, name = before.name, url = before.url } = body
      const { kinds = before.kinds, billingProfiles = before.billingProfiles } = body
      const values = { name, url, kinds, billingProfiles }
      // Each Admin may pause a webhook. Any other change makes the Admin responsible for its events.
      if (Object.keys(body).join() !== 'paused' || !paused) {
        checkValues(values, now)
        await store.setWebhook(tx, customerId, id, { ...values, ownerId: now.id })
      }
      const details = { ...detailsOf(values), ...(paused === undefined ? {} : { paused: String(paused) }) }
      if (paused) await store.pauseWebhook(tx, customerId, id, 'BY_ADMIN')
      const hasMoved = before.status === 'ACTIVE' && url !== before.url
      if (paused === false || (hasMoved && !paused)) await store.resumeWebhook(tx, customerId, id)
      await record(tx, now, { action: 'webhook.changed', subject: id, requestId, details })
      return existing(tx, now, id)
    })
    return { body: serializeWebhook(row) }
  },
)

export const removeWebhook = operation(
  contract.removeWebhook,
  async (caller, { params: { webhook_id: id } }, { requestId }) => {
    const remove = async (tx: Transaction, now: Caller) => {
      checkPermission(now, 'members-manager')
      const { name, url } = await existing(tx, now, id)
      await store.removeWebhook(tx, now.customerId, id)
      await record(tx, now, { action: 'webhook.removed', subject: id, requestId, details: { name, url } })
    }
    await scopeOfAuthority(caller, remove, { evenIfClosed: true })
    return { body: { removed: true as const } }
  },
)

export const rotateWebhookSecret = operation(
  contract.rotateWebhookSecret,
  async (caller, { params: { webhook_id: id }, body: { overlap } }, { requestId }) => {
    const { secret, sealed } = newSigningSecret(caller.customerId, id)
    const row = await change(caller, async (tx, now) => {
      const { name } = await existing(tx, now, id)
      const overlapHours = OVERLAP_HOURS[overlap]
      await store.setSecret(tx, now.customerId, id, { secret: sealed, overlapHours })
      const details = { name, overlap }
      await record(tx, now, { action: 'webhook.secret-rotated', subject: id, requestId, details })
      return existing(tx, now, id)
    })
    return { body: { webhook: serializeWebhook(row), secret }, headers: NO_STORE }
  },
)

export const testWebhook = operation(contract.testWebhook, async (caller, { params }) => {
  const { webhook_id: id } = params
  const row = await scope(caller, async (tx) => {
    await existing(tx, caller, id)
    const event = await store.addTestEvent(tx, caller.customerId, id)
    const [first] = await store.listDeliveries(tx, caller, { webhookId: id, event, limit: 1 })
    return first
  })
  if (!row) throw new Error('The event that was just added is missing.')
  return { body: serializeDelivery(row) }
})

export const listWebhookDeliveries = operation(
  contract.listWebhookDeliveries,
  async (caller, { params: { webhook_id: webhookId }, query }) => {
    const { pageToken, maxResults = DEFAULT_MAX_RESULTS, state } = query
    const list = [caller.customerId, 'webhook deliveries', webhookId, state, caller.billingProfiles] as const
    const cursor = pageToken ? readPageToken(pageToken, list, TimeKey) : undefined
    const rows = await readScope(caller, async (tx) => {
      await existing(tx, caller, webhookId)
      return store.listDeliveries(tx, caller, { webhookId, state, limit: maxResults + 1, cursor })
    })
    const { rows: page, ...links } = pageOf(rows, {
      ...{ size: maxResults, cursor, keyOf: store.keyOfDelivery, list },
    })
    return { body: { ...links, deliveries: page.map(serializeDelivery), rowCount: page.length } }
  },
)

export const readWebhookDelivery = operation(contract.readWebhookDelivery, async (caller, { params }) => {
  const body = await readScope(caller, async (tx) => {
    const row = await delivery(tx, caller, params)
    const attempts = await store.listAttempts(tx, caller.customerId, row.id)
    return serializeDetails(row, bodyOf(row.content, { at: new Date(row.createdAt), seq: row.seq }), attempts)
  })
  return { body }
})

export const repeatWebhookDelivery = operation(contract.repeatWebhookDelivery, async (caller, { params }) => {
  const row = await scope(caller, async (tx) => {
    const before = await delivery(tx, caller, params)
    const { webhook_id: webhookId } = params
    const id = await store.repeatMessage(tx, caller.customerId, webhookId, before)
    return delivery(tx, caller, { webhook_id: webhookId, delivery_id: id })
  })
  return { body: serializeDelivery(row) }
})

/**
 * Runs a change of a webhook by a signed-in Admin with a fresh sign-in: a webhook outlives the key that would add it.
 * @throws Problem `permission_denied`, `fresh_sign_in_required`
 */
function change<T>(caller: Caller, run: (tx: Transaction, now: Caller) => Promise<T>): Promise<T> {
  requirePerson(caller, 'Changing a webhook')
  return scopeOfAuthority(caller, (tx, now) => {
    checkPermission(now, 'members-manager')
    return run(tx, now)
  })
}

/** @throws Problem `invalid_request` for a private address, `permission_denied` for a billing profile of others */
function checkValues(
  { url, billingProfiles }: Pick<store.WebhookValues, 'url' | 'billingProfiles'>,
  caller: Caller,
): void {
  const unseen = billingProfiles?.find((id) => !caller.billingProfiles.includes(id))
  if (unseen !== undefined)
    throw problemAt(
      'permission_denied',
      '/billingProfiles',
      `"${unseen}" is not a billing profile that you see`,
    )
  try {
    checkOutbound(url, webhookSettings())
  } catch (error) {
    throw problemAt('invalid_request', '/url', reasonOf(error))
  }
}

function problemAt(code: 'invalid_request' | 'permission_denied', pointer: string, detail: string): Problem {
  return new Problem(code, `${pointer}: ${detail}`, { errors: [{ pointer, detail }] })
}

function detailsOf({ name, url, kinds, billingProfiles }: store.WebhookValues): AuditEvent['details'] {
  return { name, url, kinds: [...(kinds ?? ['all'])], billingProfiles: [...(billingProfiles ?? ['all'])] }
}

function record(tx: Transaction, caller: Caller, event: Omit<AuditEvent, 'actor'>): Promise<void> {
  return recordAudit(tx, caller.customerId, { ...event, actor: actorOf(caller) })
}

/** @throws Problem `not_found` */
async function existing(tx: Transaction, caller: Caller, id: string): Promise<store.WebhookRow> {
  const [row] = await store.listWebhooks(tx, caller, id)
  if (!row) throw new Problem('not_found')
  return row
}

/** @throws Problem `not_found` */
async function delivery(
  tx: Transaction,
  caller: Caller,
  { webhook_id: webhookId, delivery_id: id }: { webhook_id: string; delivery_id: string },
): Promise<store.DeliveryRow> {
  const [row] = await store.listDeliveries(tx, caller, { webhookId, id, limit: 1 })
  if (!row) throw new Problem('not_found')
  return row
}
