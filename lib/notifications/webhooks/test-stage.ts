import { randomUUID } from 'node:crypto'
import { vi } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { recordEvent } from '#lib/platform/outbox/events.ts'
import type { WebhookEvent } from '#lib/platform/outbox/rules.ts'
import { deliverDue } from '#lib/platform/outbox/worker.ts'
import { startReceiver } from '../../../test/fakes/webhooks/receiver.ts'
import { webhookChannel } from './deliver.ts'
import { newSigningSecret } from './secrets.ts'
import * as store from './store.ts'

/** Opens a database and a receiver whose host webhooks may call. */
export async function openStage() {
  const [database, receiver] = await Promise.all([testDatabase(), startReceiver()])
  vi.stubEnv('WEBHOOK_PRIVATE_HOSTS', receiver.host)
  const close = async () => {
    vi.unstubAllEnvs()
    await receiver.close()
    await database.close()
  }
  return { database, receiver, close }
}

/** Adds a customer with an Admin. */
export async function addAdmin(more: Partial<Parameters<typeof addMember>[1]> = {}) {
  const customer = await addNewCustomer()
  return { customer, admin: await addMember(customer, { roles: ['admin'], ...more }) }
}

/** Adds a webhook, and returns its id and secret. */
export async function addEndpoint(
  { customer, admin }: { customer: string; admin: string },
  url: string,
  more: Partial<store.WebhookValues> = {},
) {
  const customerId = newCustomerId(customer)
  const id = randomUUID()
  const { secret, sealed } = newSigningSecret(customerId, id)
  const values = { name: 'ERP', url, kinds: null, billingProfiles: null, ...more }
  await scope({ customerId }, (tx) =>
    store.addWebhook(tx, customerId, { id, ...values, ownerId: admin, secret: sealed }),
  )
  return { id, secret }
}

/** Writes events of one transaction. */
export function writeEvents(customer: string, ...events: WebhookEvent[]): Promise<void> {
  const customerId = newCustomerId(customer)
  return scope({ customerId }, async (tx) => {
    for (const event of events) recordEvent(tx, customerId, event)
  })
}

/** Returns an event of an asset, `n` of them. */
export const assetEvent = (asset: string, n = 1): WebhookEvent => ({
  ...{ kind: 'license_change.completed', object: `asset:${asset}` },
  ids: { assetId: asset, licenseChangeId: String(n) },
})

/** Delivers due events, of all customers or some. */
export function deliverWebhooks(...customers: string[]): Promise<number> {
  const only = customers.length > 0 ? { only: customers.map(newCustomerId) } : {}
  return deliverDue(webhookChannel, { requestId: 'test', signal: new AbortController().signal, ...only })
}

/** Moves all times of outbox and webhooks into the past. */
export async function passTime(url: string, interval: string): Promise<void> {
  await run(
    url,
    `ALTER TABLE outbox DISABLE ROW LEVEL SECURITY; ALTER TABLE webhook_endpoints DISABLE ROW LEVEL SECURITY;
     UPDATE outbox SET not_before = not_before - interval '${interval}', created_at = created_at - interval '${interval}',
       failing_since = failing_since - interval '${interval}';
     UPDATE webhook_endpoints SET failing_since = failing_since - interval '${interval}',
       retry_at = retry_at - interval '${interval}', former_until = former_until - interval '${interval}';
     ALTER TABLE outbox ENABLE ROW LEVEL SECURITY; ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY`,
  )
}
