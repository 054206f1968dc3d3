import dns from 'node:dns'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addProfile } from '#lib/platform/db/test-rows.ts'
import { recordEvent } from '#lib/platform/outbox/events.ts'
import { silence, startReceiver, status } from '../../../test/fakes/webhooks/receiver.ts'
import { newSigningSecret } from './secrets.ts'
import { setSecret } from './store.ts'
import {
  addAdmin,
  addEndpoint,
  assetEvent,
  deliverWebhooks,
  openStage,
  passTime,
  writeEvents,
} from './test-stage.ts'

let stage: Awaited<ReturnType<typeof openStage>>
let owner: Awaited<ReturnType<typeof addAdmin>>
beforeAll(async () => {
  stage = await openStage()
})
beforeEach(async () => {
  stage.receiver.received.length = 0
  stage.receiver.state.answer = undefined
  owner = await addAdmin()
})
afterAll(() => stage.close())

const hooks = () => stage.receiver.received
const messages = (customer = owner.customer) =>
  stage.database.sql(
    customer,
    "SELECT state, attempts, reason, not_before = 'infinity' AS paused FROM outbox WHERE kind = 'webhook' ORDER BY seq",
  )
const attempts = () =>
  stage.database.sql(
    owner.customer,
    'SELECT number, status, response, reason FROM webhook_attempts ORDER BY number',
  )
const endpoint = async () =>
  (await stage.database.sql(owner.customer, 'SELECT pause_reason, failing_since FROM webhook_endpoints'))[0]

describe('an event', () => {
  it('reaches each endpoint of its kind, and a public verifier accepts its signature', async () => {
    const { secret } = await addEndpoint(owner, stage.receiver.url)
    await addEndpoint(owner, `${stage.receiver.url}/members`, { kinds: ['member.changed'] })
    await writeEvents(owner.customer, assetEvent('a-1'))
    expect(await deliverWebhooks(owner.customer)).toBe(1)
    const [hook, ...others] = hooks()
    expect(others).toEqual([])
    expect(JSON.parse(hook?.body ?? '')).toEqual({
      type: 'license_change.completed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { assetId: 'a-1', licenseChangeId: '1', version: expect.any(Number) },
    })
    const verify = (text = '') => new Webhook(secret).verify(text, hook?.headers as Record<string, string>)
    expect(verify(hook?.body)).toMatchObject({ type: 'license_change.completed' })
    expect(() => verify(hook?.body.replace('a-1', 'a-2'))).toThrow()
    expect(await messages()).toEqual([{ state: 'SENT', attempts: 1, reason: null, paused: false }])
    expect(await attempts()).toEqual([{ number: 1, status: 204, response: '', reason: null }])
    expect(await deliverWebhooks(owner.customer)).toBe(0)
  })

  it('exists exactly if its transaction was committed, and once per transaction', async () => {
    await addEndpoint(owner, stage.receiver.url)
    const customerId = newCustomerId(owner.customer)
    const failed = scope({ customerId }, async (tx) => {
      recordEvent(tx, customerId, assetEvent('a-1'))
      throw new Error('rolled back')
    })
    await expect(failed).rejects.toThrow('rolled back')
    expect(await messages()).toEqual([])
    await writeEvents(owner.customer, assetEvent('a-1'), assetEvent('a-1'), assetEvent('a-1', 2))
    expect(await messages()).toHaveLength(2)
  })

  it('of an invoice reaches endpoints of its billing profile only', async () => {
    await addProfile(owner.customer, 'emea')
    await addEndpoint(owner, `${stage.receiver.url}/emea`, { billingProfiles: ['emea'] })
    await addEndpoint(owner, `${stage.receiver.url}/other`, { billingProfiles: ['default'] })
    await writeEvents(owner.customer, {
      ...{ kind: 'invoice.issued', object: 'invoice:IN-1', billingProfile: 'emea' },
      ids: { invoiceId: 'IN-1' },
    })
    await deliverWebhooks(owner.customer)
    expect(hooks().map(({ path }) => path)).toEqual(['/hooks/emea'])
  })

  it('of a billing profile that the Admin of the webhook may not see is not sent', async () => {
    const limited = await addAdmin({ billingProfiles: ['default'] })
    await addProfile(limited.customer, 'emea')
    await addEndpoint(limited, stage.receiver.url)
    const invoice = (id: string, billingProfile: string) =>
      ({ kind: 'invoice.issued', object: `invoice:${id}`, billingProfile, ids: { invoiceId: id } }) as const
    await writeEvents(limited.customer, invoice('IN-1', 'emea'), invoice('IN-2', 'default'))
    expect(await deliverWebhooks(limited.customer)).toBe(1)
    expect(hooks().map(({ data }) => data.invoiceId)).toEqual(['IN-2'])
    expect((await messages(limited.customer))[0]).toMatchObject({ state: 'REFUSED' })
  })

  it('is signed with both secrets during an overlap, and with the new one afterwards', async () => {
    const { id, secret } = await addEndpoint(owner, stage.receiver.url)
    const customerId = newCustomerId(owner.customer)
    const next = newSigningSecret(customerId, id)
    await scope({ customerId }, (tx) =>
      setSecret(tx, customerId, id, { secret: next.sealed, overlapHours: 24 }),
    )
    const isValid = (key: string, at: number) => {
      const { body = '', headers = {} } = hooks()[at] ?? {}
      try {
        return Boolean(new Webhook(key).verify(body, headers as Record<string, string>))
      } catch {
        return false
      }
    }
    await writeEvents(owner.customer, assetEvent('a-1'))
    await deliverWebhooks(owner.customer)
    expect([isValid(secret, 0), isValid(next.secret, 0)]).toEqual([true, true])
    await passTime(stage.database.url, '25 hours')
    await writeEvents(owner.customer, assetEvent('a-1'))
    await deliverWebhooks(owner.customer)
    expect([isValid(secret, 1), isValid(next.secret, 1)]).toEqual([false, true])
  })

  it('is stored with a sealed secret only', async () => {
    const { secret } = await addEndpoint(owner, stage.receiver.url)
    const rows = await stage.database.sql(owner.customer, 'SELECT * FROM webhook_endpoints')
    expect(JSON.stringify(rows)).not.toContain(secret.slice(6))
  })
})

describe('a receiver', () => {
  it.each([
    ['answers 500', status(500), 'The receiver answered 500.'],
    ['redirects', status(302, { location: 'http://169.254.169.254/' }), 'The receiver answered 302.'],
    [
      'closes the connection',
      (_: unknown, response: { destroy(): void }) => response.destroy(),
      'socket hang up',
    ],
  ])('that %s gets the event again, with the same id', async (_, answer, reason) => {
    await addEndpoint(owner, stage.receiver.url)
    stage.receiver.state.answer = answer
    await writeEvents(owner.customer, assetEvent('a-1'))
    expect(await deliverWebhooks(owner.customer)).toBe(0)
    expect(await messages()).toMatchObject([{ state: 'WAITING', reason: expect.stringContaining(reason) }])
    // Not before its time.
    expect(await deliverWebhooks(owner.customer)).toBe(0)
    expect(hooks()).toHaveLength(1)
    await passTime(stage.database.url, '10 seconds')
    stage.receiver.state.answer = undefined
    expect(await deliverWebhooks(owner.customer)).toBe(1)
    const ids = hooks().map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
    expect(ids).toHaveLength(2)
    expect(await endpoint()).toMatchObject({ failing_since: null })
  })

  it('that answers after 5 seconds gets the event again', async () => {
    await addEndpoint(owner, stage.receiver.url)
    stage.receiver.state.answer = silence
    await writeEvents(owner.customer, assetEvent('a-1'))
    await deliverWebhooks(owner.customer)
    expect(await attempts()).toMatchObject([{ status: null, reason: expect.stringContaining('within 5 s') }])
  }, 20_000)

  it('that answers at length is read up to a bound', async () => {
    await addEndpoint(owner, stage.receiver.url)
    stage.receiver.state.answer = (_, response) =>
      void response.writeHead(200).end(`\0${'x'.repeat(3_000_000)}`)
    await writeEvents(owner.customer, assetEvent('a-1'))
    expect(await deliverWebhooks(owner.customer)).toBe(1)
    const [attempt] = await attempts()
    expect(String(attempt?.response)).toHaveLength(2000)
  })

  it('that is down gets all events in order per object when it is back', async () => {
    await addEndpoint(owner, stage.receiver.url)
    stage.receiver.state.answer = status(503)
    for (let n = 1; n <= 3; n++)
      await writeEvents(owner.customer, assetEvent('a-1', n), assetEvent('a-2', n), assetEvent('a-3', n))
    await deliverWebhooks(owner.customer)
    // Later events of an object are not tried before the first one.
    expect(new Set(hooks().map(({ data }) => data.licenseChangeId))).toEqual(new Set(['1']))
    await passTime(stage.database.url, '1 day')
    hooks().length = 0
    stage.receiver.state.answer = undefined
    expect(await deliverWebhooks(owner.customer)).toBe(9)
    for (const asset of ['a-1', 'a-2', 'a-3'])
      expect(
        hooks()
          .filter(({ data }) => data.assetId === asset)
          .map(({ data }) => data.licenseChangeId),
      ).toEqual(['1', '2', '3'])
  })

  it('that fails for three days pauses its webhook, and the Admins are mailed once; events wait', async () => {
    vi.stubEnv('SMTP_URL', 'smtp://127.0.0.1:9')
    vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
    vi.stubEnv('BASE_URL', 'https://console.example')
    await addEndpoint(owner, stage.receiver.url)
    stage.receiver.state.answer = status(500)
    await writeEvents(owner.customer, assetEvent('a-1'), assetEvent('a-2'))
    await deliverWebhooks(owner.customer)
    await passTime(stage.database.url, '71 hours')
    await deliverWebhooks(owner.customer)
    expect(await endpoint()).toMatchObject({ pause_reason: null })
    await passTime(stage.database.url, '5 hours')
    await deliverWebhooks(owner.customer)
    expect(await endpoint()).toMatchObject({ pause_reason: 'FAILING' })
    await writeEvents(owner.customer, assetEvent('a-3'))
    await passTime(stage.database.url, '1 day')
    hooks().length = 0
    expect([await deliverWebhooks(owner.customer), hooks()]).toEqual([0, []])
    expect((await messages()).map(({ paused }) => paused)).toEqual([true, true, true])
    const mails = await stage.database.sql(
      owner.customer,
      "SELECT content FROM outbox WHERE kind = 'account'",
    )
    expect(mails).toEqual([{ content: { event: 'webhook-paused', about: 'ERP' } }])
    vi.stubEnv('SMTP_URL', '')
    vi.stubEnv('MAIL_FROM', '')
  })
})

describe('the address of a webhook', () => {
  it.each([
    ['http://hooks.example.com', 'by https'],
    ['https://127.0.0.1/x', 'private address'],
    ['https://169.254.169.254/latest', 'private address'],
    ['https://[fd00::1]/', 'private address'],
    ['https://0x7f.1/', 'private address'],
    ['https://localhost/', 'private address'],
  ])('%s is not called', async (address, reason) => {
    await addEndpoint(owner, address)
    await writeEvents(owner.customer, assetEvent('a-1'))
    expect(await deliverWebhooks(owner.customer)).toBe(0)
    expect(await attempts()).toMatchObject([{ status: null, reason: expect.stringContaining(reason) }])
  })

  it('is checked in the answer that is connected to: a name that is rebound is not called', async () => {
    const other = await startReceiver()
    const addresses = ['93.184.216.34', '127.0.0.1']
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((_: string, options: object, done: never) => {
      const address = addresses.shift() ?? '127.0.0.1'
      const answer = [{ address, family: 4 }]
      ;(done as (...answer: unknown[]) => void)(
        null,
        (options as { all?: boolean }).all ? answer : address,
        4,
      )
    }) as never)
    try {
      await addEndpoint(owner, `https://rebound.example:${other.host.split(':')[1]}/`)
      await writeEvents(owner.customer, assetEvent('a-1'), assetEvent('a-2'))
      // One call connects to the public address, which nothing answers here; the other name has become private.
      await deliverWebhooks(owner.customer)
      expect(lookup).toHaveBeenCalledTimes(2)
      expect(other.received).toEqual([])
      const reasons = (await attempts()).map(({ reason }) => String(reason))
      expect(reasons.filter((text) => text.includes('private address'))).toHaveLength(1)
    } finally {
      lookup.mockRestore()
      await other.close()
    }
  }, 20_000)
})

describe('a webhook', () => {
  it('is paused when its Admin loses access', async () => {
    await addEndpoint(owner, stage.receiver.url)
    await stage.database.sql(owner.customer, "UPDATE members SET roles = '{it-manager}' WHERE id = $1", [
      owner.admin,
    ])
    await writeEvents(owner.customer, assetEvent('a-1'))
    expect(await deliverWebhooks(owner.customer)).toBe(0)
    expect([hooks(), await endpoint()]).toEqual([
      [],
      expect.objectContaining({ pause_reason: 'ACCESS_LOST' }),
    ])
  })

  it('that is slow delays no other customer', async () => {
    const others = await Promise.all(Array.from({ length: 20 }, () => addAdmin()))
    stage.receiver.state.answer = (one, response) => {
      if (one.path !== '/hooks/slow') response.writeHead(204).end()
    }
    await addEndpoint(owner, `${stage.receiver.url}/slow`)
    for (let n = 0; n < 50; n++) await writeEvents(owner.customer, assetEvent(`a-${n}`))
    for (const other of others) {
      await addEndpoint(other, `${stage.receiver.url}/other`)
      await writeEvents(other.customer, assetEvent('a-1'))
    }
    const run = deliverWebhooks(owner.customer, ...others.map(({ customer }) => customer))
    await vi.waitFor(
      () => expect(hooks().filter(({ path }) => path === '/hooks/other')).toHaveLength(others.length),
      { timeout: 4500 },
    )
    // The slow one holds its share, and is not called again.
    expect(hooks().filter(({ path }) => path === '/hooks/slow')).toHaveLength(4)
    expect(await run).toBe(others.length)
  }, 30_000)

  it('gets each event once from two workers, in order per object', async () => {
    await addEndpoint(owner, stage.receiver.url)
    for (let n = 1; n <= 20; n++)
      await writeEvents(owner.customer, assetEvent('a-1', n), assetEvent(`b-${n}`, n))
    const counts = await Promise.all([1, 2, 3].map(() => deliverWebhooks(owner.customer)))
    expect(counts.reduce((sum, count) => sum + count)).toBe(40)
    const first = hooks().filter(({ data }) => data.assetId === 'a-1')
    expect(first.map(({ data }) => Number(data.licenseChangeId))).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    )
    const versions = first.map(({ data }) => data.version)
    expect(versions).toEqual(versions.toSorted((a, b) => a - b))
  })

  it('gets an event again whose worker died, after the lease', async () => {
    await addEndpoint(owner, stage.receiver.url)
    await writeEvents(owner.customer, assetEvent('a-1'))
    await stage.database.sql(
      owner.customer,
      "UPDATE outbox SET state = 'SENDING', attempts = 1, not_before = now() + interval '30 seconds'",
    )
    expect(await deliverWebhooks(owner.customer)).toBe(0)
    await passTime(stage.database.url, '31 seconds')
    expect(await deliverWebhooks(owner.customer)).toBe(1)
  })
})
