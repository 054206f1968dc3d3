import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
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

/** Stage of the tests of webhooks, in a file that has called `onStage`. */
export let stage: Awaited<ReturnType<typeof openStage>>
/** Customer and Admin of the test that runs, which no other test has. */
export let owner: Awaited<ReturnType<typeof addAdmin>>

/** Opens a stage for the tests of a file. Before each test, the receiver is empty and `prepare` runs. */
export function onStage(prepare: () => Promise<void> = async () => {}): void {
  beforeAll(async () => {
    stage = await openStage()
  })
  beforeEach(async () => {
    stage.receiver.received.length = 0
    stage.receiver.state.answer = undefined
    owner = await addAdmin()
    await prepare()
  })
  afterAll(() => stage.close())
}

/** Returns the calls that the receiver got. */
export const hooks = () => stage.receiver.received

/** Returns a customer's messages to webhooks, in order. */
export const messages = (customer = owner.customer) =>
  stage.database.sql(
    customer,
    "SELECT state, attempts, reason, not_before = 'infinity' AS paused FROM outbox WHERE kind = 'webhook' ORDER BY seq",
  )

/** Returns the attempts to deliver the owner's messages. */
export const attempts = () =>
  stage.database.sql(
    owner.customer,
    'SELECT number, status, response, reason FROM webhook_attempts ORDER BY number',
  )

/** Returns why the owner's webhook is paused, and since when it fails. */
export const endpoint = async () =>
  (await stage.database.sql(owner.customer, 'SELECT pause_reason, failing_since FROM webhook_endpoints'))[0]

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
