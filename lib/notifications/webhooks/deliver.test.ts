import { readFileSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, vi } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addProfile } from '#lib/platform/db/test-rows.ts'
import { recordEvent } from '#lib/platform/outbox/events.ts'
import { type Answer, silence, startProgram, status } from '../../../test/fakes/webhooks/receiver.ts'
import { newSigningSecret } from './secrets.ts'
import { setSecret } from './store.ts'
import {
  addAdmin,
  addEndpoint,
  assetEvent,
  attempts,
  deliverWebhooks,
  endpoint,
  hooks,
  messages,
  onStage,
  owner,
  passTime,
  stage,
  writeEvents,
} from './test-stage.ts'

onStage()

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

  it('is verified by the program of the page for developers', async () => {
    const { secret } = await addEndpoint(owner, stage.receiver.url)
    await writeEvents(owner.customer, assetEvent('a-1'))
    await deliverWebhooks(owner.customer)
    const [hook] = hooks()
    const text = readFileSync('docs/webhooks.md', 'utf8').match(/```typescript\n([\s\S]+?)```/)?.[1] ?? ''
    const program = text.replace(
      'listen(8080)',
      "listen(0, () => console.log('port', server.address().port))",
    )
    expect(program).not.toBe(text)
    const child = startProgram(program, secret)
    try {
      let output = ''
      child.stdout.on('data', (part) => {
        output += part
      })
      const port = await vi.waitUntil(() => output.match(/port (\d+)/)?.[1], { timeout: 10_000 })
      const send = async (body = '') => {
        const headers = hook?.headers as Record<string, string>
        return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status
      }
      expect([await send(hook?.body), await send(hook?.body.replace('a-1', 'a-2'))]).toEqual([204, 400])
      await vi.waitFor(() =>
        expect(output).toMatch(/verified[\s\S]*license_change.completed[\s\S]*No matching/),
      )
    } finally {
      child.kill()
    }
  }, 20_000)

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

/** Writes an answer of any form. */
const raw =
  (text: string): Answer =>
  (_, response) =>
    void response.socket?.write(text)

describe('a receiver', () => {
  it.each([
    ['answers 500', status(500), 'The receiver answered 500.'],
    ['redirects', status(302, { location: 'http://169.254.169.254/' }), 'The receiver answered 302.'],
    [
      'closes the connection',
      (_: unknown, response: { destroy(): void }) => response.destroy(),
      'socket hang up',
    ],
    [
      'wants another protocol',
      raw('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nx'),
      'The receiver answered 101.',
    ],
    ['sends endless headers', raw(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}`), 'Header overflow'],
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
