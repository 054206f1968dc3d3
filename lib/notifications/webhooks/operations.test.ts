import { describe, expect, it } from 'vitest'
import { type Headers, signedIn, withKey } from '#lib/identity/keys/test-calls.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { addMember, addProfile } from '#lib/platform/db/test-rows.ts'
import { runWithRequestContext } from '#lib/platform/runtime/log.ts'
import { status } from '../../../test/fakes/webhooks/receiver.ts'
import * as operations from './operations.ts'
import {
  addAdmin,
  assetEvent,
  deliverWebhooks,
  onStage,
  owner,
  passTime,
  stage,
  writeEvents,
} from './test-stage.ts'

let ana: Headers
onStage(async () => {
  ana = await signedIn(owner.customer, owner.admin)
})

const ROUTES = [
  [/^$/, route(operations.listWebhooks, operations.addWebhook)],
  [/^\/[^/]+$/, route(operations.readWebhook, operations.changeWebhook, operations.removeWebhook)],
  [/\/secret$/, route(operations.rotateWebhookSecret)],
  [/\/test$/, route(operations.testWebhook)],
  [/\/deliveries$/, route(operations.listWebhookDeliveries)],
  [/\/repetition$/, route(operations.repeatWebhookDelivery)],
  [/\/deliveries\/[^/]+$/, route(operations.readWebhookDelivery)],
] as const

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** @param rest path after `/billing/v1/webhooks` */
async function call(headers: Headers, method: Method, rest = '', body?: unknown) {
  const [path = ''] = rest.split('?')
  const mounted = ROUTES.find(([pattern]) => pattern.test(path))?.[1]
  const request = new Request(`http://console.example/billing/v1/webhooks${rest}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const context = { requestId: 'request-of-a-test', address: '192.0.2.1', agent: 'curl/8' }
  const answer = await runWithRequestContext(context, async () => mounted?.[method](request))
  return { status: answer?.status, headers: answer?.headers, json: await answer?.json() }
}
const codeOf = async (...options: Parameters<typeof call>) => {
  const { status, json } = await call(...options)
  return json.code ?? status
}
const add = async (values: object = {}, headers = ana) =>
  (await call(headers, 'POST', '', { name: 'ERP', url: stage.receiver.url, ...values })).json
const deliveriesOf = async (id: string, headers = ana, query = '') =>
  (await call(headers, 'GET', `/${id}/deliveries${query}`)).json.deliveries

describe('a webhook', () => {
  it('is added by a signed-in Admin, with a secret that is shown once', async () => {
    const { status, headers, json } = await call(ana, 'POST', '', { name: 'ERP', url: stage.receiver.url })
    expect([status, headers?.get('cache-control')]).toEqual([200, 'no-store'])
    expect(json.secret).toMatch(/^whsec_[\w+/]{43}=$/)
    const list = await call(ana, 'GET')
    expect(list.json.webhooks).toMatchObject([{ id: json.webhook.id, status: 'ACTIVE', waiting: 0 }])
    expect(JSON.stringify(list.json)).not.toContain('whsec_')
  })

  it('is managed by Admins only, with a fresh sign-in, and is not added by a key', async () => {
    const { webhook } = await add()
    const stale = await signedIn(owner.customer, owner.admin, 11)
    const finance = await signedIn(
      owner.customer,
      await addMember(owner.customer, { roles: ['finance-user'] }),
    )
    const it = await withKey(owner.customer, ['it-manager'])
    const key = await withKey(owner.customer, ['admin'])
    const body = { name: 'ERP', url: stage.receiver.url }
    for (const headers of [finance, it]) {
      expect(await codeOf(headers, 'GET')).toBe('permission_denied')
      expect(await codeOf(headers, 'GET', `/${webhook.id}/deliveries`)).toBe('permission_denied')
      expect(await codeOf(headers, 'POST', `/${webhook.id}/test`, {})).toBe('permission_denied')
      expect(await codeOf(headers, 'DELETE', `/${webhook.id}`)).toBe('permission_denied')
    }
    expect(await codeOf({}, 'GET')).toBe('unauthenticated')
    for (const [method, rest, sent] of [
      ['POST', '', body],
      ['PATCH', `/${webhook.id}`, { paused: true }],
      ['POST', `/${webhook.id}/secret`, { overlap: '1h' }],
    ] as const) {
      expect(await codeOf(stale, method, rest, sent)).toBe('fresh_sign_in_required')
      expect(await codeOf(key, method, rest, sent)).toBe('permission_denied')
    }
    expect(await codeOf(stale, 'DELETE', `/${webhook.id}`)).toBe('fresh_sign_in_required')
    expect(await codeOf(key, 'GET', `/${webhook.id}`)).toBe(200)
    expect(await codeOf(key, 'POST', `/${webhook.id}/test`, {})).toBe(200)
    expect(await codeOf(key, 'DELETE', `/${webhook.id}`)).toBe(200)
  })

  it('of another customer looks like a missing one', async () => {
    const { webhook } = await add()
    await writeEvents(owner.customer, assetEvent('a-1'))
    const [{ id }] = await deliveriesOf(webhook.id)
    const other = await addAdmin()
    const eve = await signedIn(other.customer, other.admin)
    for (const [method, rest, body] of [
      ['GET', `/${webhook.id}`, undefined],
      ['PATCH', `/${webhook.id}`, { name: 'Eve' }],
      ['DELETE', `/${webhook.id}`, undefined],
      ['POST', `/${webhook.id}/secret`, {}],
      ['POST', `/${webhook.id}/test`, {}],
      ['GET', `/${webhook.id}/deliveries`, undefined],
      ['GET', `/${webhook.id}/deliveries/${id}`, undefined],
      ['POST', `/${webhook.id}/deliveries/${id}/repetition`, {}],
    ] as const)
      expect([rest, await codeOf(eve, method, rest, body)]).toEqual([rest, 'not_found'])
    expect((await call(eve, 'GET')).json.webhooks).toEqual([])
  })

  it.each([
    [{ name: '' }, '/name'],
    [{ name: 'two\nlines' }, '/name'],
    [{ url: 'hooks' }, '/url'],
    [{ url: 'ftp://hooks.example.com' }, '/url'],
    [{ url: 'http://hooks.example.com' }, '/url'],
    [{ url: 'https://169.254.169.254/latest/meta-data' }, '/url'],
    [{ url: 'https://[::ffff:127.0.0.1]/' }, '/url'],
    [{ url: 'https://user:secret@hooks.example.com' }, '/url'],
    [{ url: 'https://:secret@hooks.example.com' }, '/url'],
    [{ kinds: [] }, '/kinds'],
    [{ kinds: ['invoice.paid'] }, '/kinds/0'],
    [{ kinds: ['invoice.issued', 'invoice.issued'] }, '/kinds'],
    [{ billingProfiles: [] }, '/billingProfiles'],
    [{ secret: 'mine' }, undefined],
  ])('with %j is refused', async (values, pointer) => {
    const { status, json } = await call(ana, 'POST', '', { name: 'ERP', url: stage.receiver.url, ...values })
    expect([status, json.code]).toEqual([400, 'invalid_request'])
    if (pointer) expect(json.errors[0].pointer).toBe(pointer)
    expect((await call(ana, 'GET')).json.webhooks).toEqual([])
  })

  it('is one of ten at most, also when two are added at a time', async () => {
    for (let n = 0; n < 9; n++) await add()
    const both = await Promise.all([add(), add()])
    expect(both.map(({ code }) => code).sort()).toEqual(['webhooks_full', undefined])
  })

  it('is paused and resumed: events wait, and are sent then', async () => {
    const { webhook } = await add()
    expect((await call(ana, 'PATCH', `/${webhook.id}`, { paused: true })).json.status).toBe('PAUSED')
    await writeEvents(owner.customer, assetEvent('a-1'))
    expect(await deliverWebhooks(owner.customer)).toBe(0)
    const { json } = await call(ana, 'PATCH', `/${webhook.id}`, { paused: false })
    expect([json.status, json.waiting]).toEqual(['ACTIVE', 1])
    expect(await deliverWebhooks(owner.customer)).toBe(1)
  })

  it('is changed with an audit event, keeps members that are not sent, and loses a filter by null', async () => {
    const { webhook } = await add({ kinds: ['invoice.issued'] })
    const renamed = await call(ana, 'PATCH', `/${webhook.id}`, { name: 'ERP Zurich' })
    expect(renamed.json).toMatchObject({ name: 'ERP Zurich', kinds: ['invoice.issued'] })
    expect((await call(ana, 'PATCH', `/${webhook.id}`, { kinds: null })).json.kinds).toBeUndefined()
    const events = await stage.database.sql(
      owner.customer,
      "SELECT action FROM audit_events WHERE action LIKE 'webhook.%' ORDER BY id",
    )
    expect(events.map(({ action }) => action)).toEqual([
      'webhook.added',
      'webhook.changed',
      'webhook.changed',
    ])
  })

  it('of an Admin with some billing profiles shows and sends no events of others', async () => {
    await addProfile(owner.customer, 'emea')
    const { webhook } = await add()
    await writeEvents(owner.customer, {
      ...{ kind: 'invoice.issued', object: 'invoice:IN-1', billingProfile: 'emea' },
      ids: { invoiceId: 'IN-1' },
    })
    const limited = await addMember(owner.customer, { roles: ['admin'], billingProfiles: ['default'] })
    const ben = await signedIn(owner.customer, limited)
    expect(await deliveriesOf(webhook.id, ben)).toEqual([])
    const waiting = async (headers: Headers) => (await call(headers, 'GET', `/${webhook.id}`)).json.waiting
    expect([await waiting(ben), await waiting(ana)]).toEqual([0, 1])
    const [{ id }] = await deliveriesOf(webhook.id)
    expect(await codeOf(ben, 'GET', `/${webhook.id}/deliveries/${id}`)).toBe('not_found')
    expect(await codeOf(ben, 'PATCH', `/${webhook.id}`, { billingProfiles: ['emea'] })).toBe(
      'permission_denied',
    )
    // To send its events elsewhere makes Ben its Admin, and so hides them.
    expect(await codeOf(ben, 'PATCH', `/${webhook.id}`, { url: `${stage.receiver.url}/ben` })).toBe(200)
    expect([await deliverWebhooks(owner.customer), stage.receiver.received]).toEqual([0, []])
  })

  it('with another address has its three days again, and is called immediately', async () => {
    const { webhook } = await add()
    stage.receiver.state.answer = status(500)
    await writeEvents(owner.customer, assetEvent('a-1'))
    await deliverWebhooks(owner.customer)
    await passTime(stage.database.url, '71 hours')
    await deliverWebhooks(owner.customer)
    await call(ana, 'PATCH', `/${webhook.id}`, { url: `${stage.receiver.url}/new` })
    await deliverWebhooks(owner.customer)
    expect(stage.receiver.received.at(-1)?.path).toBe('/hooks/new')
    await passTime(stage.database.url, '2 hours')
    await deliverWebhooks(owner.customer)
    expect((await call(ana, 'GET', `/${webhook.id}`)).json.status).toBe('ACTIVE')
  })

  it('has another secret after a rotation', async () => {
    const { webhook, secret } = await add()
    const rotated = await call(ana, 'POST', `/${webhook.id}/secret`, { overlap: '1h' })
    expect(rotated.json.secret).not.toBe(secret)
    expect(rotated.json.webhook.formerSecretUntil).toBeGreaterThan(Date.now())
    await call(ana, 'POST', `/${webhook.id}/secret`, { overlap: 'now' })
    expect(await stage.database.sql(owner.customer, 'SELECT former_secret FROM webhook_endpoints')).toEqual([
      { former_secret: null },
    ])
  })

  it('is removed with its deliveries', async () => {
    const { webhook } = await add()
    await writeEvents(owner.customer, assetEvent('a-1'))
    await deliverWebhooks(owner.customer)
    expect((await call(ana, 'DELETE', `/${webhook.id}`)).json).toEqual({ removed: true })
    expect(await codeOf(ana, 'GET', `/${webhook.id}`)).toBe('not_found')
    expect(await stage.database.sql(owner.customer, 'SELECT FROM webhook_attempts')).toEqual([])
  })
})

describe('a delivery', () => {
  it('shows its request, and each response', async () => {
    const { webhook } = await add()
    stage.receiver.state.answer = (_, response) => void response.writeHead(500).end('no room')
    await writeEvents(owner.customer, assetEvent('a-1'))
    await deliverWebhooks(owner.customer)
    await passTime(stage.database.url, '10 seconds')
    stage.receiver.state.answer = status(202)
    await deliverWebhooks(owner.customer)
    const [item] = await deliveriesOf(webhook.id)
    expect(item).toMatchObject({ state: 'ACCEPTED', attempts: 2, lastStatus: 202 })
    const { json } = await call(ana, 'GET', `/${webhook.id}/deliveries/${item.id}`)
    expect(json.request).toBe(stage.receiver.received.at(-1)?.body)
    expect(json.calls).toMatchObject([
      { number: 2, status: 202, response: '' },
      { number: 1, status: 500, response: 'no room', duration: expect.any(Number) },
    ])
  })

  it('is sent again as the same event, in a new delivery', async () => {
    const { webhook } = await add()
    await writeEvents(owner.customer, assetEvent('a-1'))
    await deliverWebhooks(owner.customer)
    const [{ id }] = await deliveriesOf(webhook.id)
    const again = await call(ana, 'POST', `/${webhook.id}/deliveries/${id}/repetition`, {})
    expect(again.json).toMatchObject({ state: 'WAITING', attempts: 0 })
    await deliverWebhooks(owner.customer)
    const [first, second] = stage.receiver.received
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(await deliveriesOf(webhook.id, ana, '?state=ACCEPTED')).toHaveLength(2)
  })

  it('that waits is tried immediately', async () => {
    const { webhook } = await add()
    stage.receiver.state.answer = status(500)
    await writeEvents(owner.customer, assetEvent('a-1'))
    await deliverWebhooks(owner.customer)
    stage.receiver.state.answer = undefined
    const [{ id }] = await deliveriesOf(webhook.id, ana, '?state=WAITING')
    await call(ana, 'POST', `/${webhook.id}/deliveries/${id}/repetition`, {})
    expect(await deliverWebhooks(owner.customer)).toBe(1)
  })

  it('that waits for an earlier one of its object is tried immediately after it', async () => {
    const { webhook } = await add()
    stage.receiver.state.answer = status(500)
    await writeEvents(owner.customer, assetEvent('a-1', 1))
    await writeEvents(owner.customer, assetEvent('a-1', 2))
    await deliverWebhooks(owner.customer)
    stage.receiver.state.answer = undefined
    const [{ id }] = await deliveriesOf(webhook.id)
    await call(ana, 'POST', `/${webhook.id}/deliveries/${id}/repetition`, {})
    expect(await deliverWebhooks(owner.customer)).toBe(2)
    const changes = stage.receiver.received.map(({ data }) => data.licenseChangeId)
    expect(changes).toEqual(['1', '1', '2'])
  })

  it('of a test reaches a webhook of any kinds', async () => {
    const { webhook } = await add({ kinds: ['member.changed'] })
    const { json } = await call(ana, 'POST', `/${webhook.id}/test`, {})
    expect(json).toMatchObject({ kind: 'webhook.test', state: 'WAITING' })
    await deliverWebhooks(owner.customer)
    expect(stage.receiver.received.map(({ type }) => type)).toEqual(['webhook.test'])
  })

  it('is on one of the pages, newest first', async () => {
    const { webhook } = await add()
    for (let n = 1; n <= 3; n++) await writeEvents(owner.customer, assetEvent('a-1', n))
    const page = await call(ana, 'GET', `/${webhook.id}/deliveries?maxResults=2`)
    const rest = await call(
      ana,
      'GET',
      `/${webhook.id}/deliveries?maxResults=2&pageToken=${page.json.pageToken}`,
    )
    const all = [...page.json.deliveries, ...rest.json.deliveries]
    expect([page.json.rowCount, rest.json.rowCount, new Set(all.map(({ id }) => id)).size]).toEqual([2, 1, 3])
  })
})
