import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Exchange } from '../vendors/routes.ts'
import { faultsOf } from './description.ts'
import { type FakeGoogle, startGoogle } from './fake.ts'
import { ORDER, ORDER_READONLY } from './token.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-google-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let fake: FakeGoogle
beforeEach(async () => {
  fake = await startGoogle()
})
afterEach(() => fake.close())

type Claims = Record<string, unknown>

function assertion(claims: Claims, header: Claims = { alg: 'RS256' }, pem?: string): string {
  const { private_key, client_email } = JSON.parse(readFileSync(fake.keyFile(folder), 'utf8'))
  const now = Math.floor(Date.now() / 1000)
  const usual = { iss: client_email, sub: fake.admin, scope: ORDER, iat: now, exp: now + 3600 }
  const all = { ...usual, aud: 'https://oauth2.googleapis.com/token', ...claims }
  const parts = [header, all].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signature = sign('RSA-SHA256', Buffer.from(parts.join('.')), pem ?? private_key)
  return `${parts.join('.')}.${signature.toString('base64url')}`
}

async function exchange(jwt: string, grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
  const body = new URLSearchParams({ grant_type, assertion: jwt })
  const answer = await fetch(fake.tokenUrl, { method: 'POST', body })
  return { status: answer.status, body: (await answer.json()) as { access_token?: string; error?: string } }
}

async function api(path: string, { scope = ORDER, body }: { scope?: string; body?: unknown } = {}) {
  const { access_token } = (await exchange(assertion({ scope }))).body
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const headers = { authorization: `Bearer ${access_token}` }
  const answer = await fetch(`${fake.url}/apps/reseller/v1/${path}`, { ...init, headers })
  const answerBody = (await answer.json()) as Record<string, unknown> & {
    error?: { errors: { reason: string }[] }
  }
  return { status: answer.status, reason: answerBody.error?.errors[0]?.reason, body: answerBody }
}
const seats = (body: unknown, id = 's-1') =>
  api(`customers/C0123456/subscriptions/${id}/changeSeats`, { body })

describe('the token endpoint', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string

  test('issues tokens for delegated scopes', async () => {
    expect(await exchange(assertion({}))).toMatchObject({ status: 200, body: { token_type: 'Bearer' } })
    expect((await exchange(assertion({ scope: `${ORDER} ${ORDER_READONLY}` }))).status).toBe(200)
  })

  test.each<[string, () => string, number, string]>([
    ['another key', () => assertion({}, undefined, other), 400, 'invalid_grant'],
    ['another algorithm', () => assertion({}, { alg: 'none' }), 400, 'invalid_grant'],
    ['no JWT', () => 'x.y', 400, 'invalid_grant'],
    ['another account', () => assertion({ iss: 'a@b.example' }), 400, 'invalid_grant'],
    ['another audience', () => assertion({ aud: 'https://other.example' }), 400, 'invalid_grant'],
    ['an old one', () => assertion({ iat: now() - 7200, exp: now() - 3600 }), 400, 'invalid_grant'],
    ['one for too long', () => assertion({ exp: now() + 7200 }), 400, 'invalid_grant'],
    ['another user', () => assertion({ sub: 'other@reseller.example' }), 401, 'unauthorized_client'],
    ['no user', () => assertion({ sub: undefined }), 401, 'unauthorized_client'],
    ['another scope', () => assertion({ scope: `${ORDER} https://x.example` }), 401, 'unauthorized_client'],
  ])('refuses %s', async (_what, jwt, status, error) => {
    expect(await exchange(jwt())).toMatchObject({ status, body: { error } })
  })

  test('refuses another grant type, and the API refuses an unknown token or one whose scope is too small', async () => {
    expect(await exchange(assertion({}), 'password')).toMatchObject({ status: 400 })
    fake.add({ id: 's-1' })
    const path = 'customers/C0123456/subscriptions/s-1'
    expect((await fetch(`${fake.url}/apps/reseller/v1/${path}`)).status).toBe(401)
    expect(await api(path, { scope: ORDER_READONLY })).toMatchObject({ status: 200 })
    const write = { scope: ORDER_READONLY, body: { numberOfSeats: 12 } }
    const rejected = await api(`${path}/changeSeats`, write)
    expect(rejected).toMatchObject({ status: 403, reason: 'insufficientPermissions' })
  })
})

test.each([
  [{ plan: 'ANNUAL_MONTHLY_PAY' }, { numberOfSeats: 10 }, undefined],
  [{ plan: 'ANNUAL_MONTHLY_PAY' }, { numberOfSeats: 9 }, 'invalid'],
  [{ plan: 'ANNUAL_YEARLY_PAY' }, { maximumNumberOfSeats: 12 }, 'invalid'],
  [{ plan: 'ANNUAL_YEARLY_PAY' }, { numberOfSeats: 12, maximumNumberOfSeats: 12 }, 'invalid'],
  [{ plan: 'FLEXIBLE' }, { maximumNumberOfSeats: 4 }, undefined],
  [{ plan: 'FLEXIBLE' }, { maximumNumberOfSeats: 3 }, 'invalid'],
  [{ plan: 'FLEXIBLE' }, { numberOfSeats: 12 }, 'invalid'],
  [{ plan: 'FLEXIBLE' }, { maximumNumberOfSeats: 50_001 }, 'invalid'],
  [{ plan: 'FLEXIBLE' }, { maximumNumberOfSeats: '12' }, 'invalid'],
  [{ plan: 'FLEXIBLE' }, { maximumNumberOfSeats: 12, licensedNumberOfSeats: 4 }, 'invalid'],
  [{ plan: 'FLEXIBLE' }, [], 'invalid'],
  [{ plan: 'TRIAL' }, { maximumNumberOfSeats: 10 }, undefined],
  [{ plan: 'TRIAL' }, { maximumNumberOfSeats: 11 }, 'invalid'],
  [{ plan: 'FLEXIBLE', status: 'SUSPENDED' }, { maximumNumberOfSeats: 12 }, 'badRequest'],
  [{ plan: 'FLEXIBLE', status: 'PENDING' }, { maximumNumberOfSeats: 12 }, 'conditionNotMet'],
  [{ plan: 'FREE' }, { maximumNumberOfSeats: 12 }, 'conditionNotMet'],
])('changeSeats of %j with %j follows the rules', async (before, body, reason) => {
  fake.add({ id: 's-1', ...before })
  const response = await seats(body)
  expect(response.reason).toBe(reason)
  expect(fake.writes).toHaveLength(reason === undefined ? 1 : 0)
})

test('the response of changeSeats omits the fields that Google omits', async () => {
  fake.add({ id: 's-1' })
  const [full, changed] = [
    await api('customers/example.com/subscriptions/s-1'),
    await seats({ numberOfSeats: 12 }),
  ]
  const missing = Object.keys(full.body).filter((name) => !(name in changed.body))
  const left = ['billingMethod', 'customerDomain', 'resourceUiUrl', 'status']
  expect(missing.filter((name) => name !== 'unseenBefore').sort()).toEqual(left)
  expect(full.body).toMatchObject({ creationTime: '1772323200000', plan: { planName: 'ANNUAL' } })
  expect((await seats({ numberOfSeats: 12 }, 'nobody')).status).toBe(404)
  expect((await api('customers/C9/subscriptions/s-1')).status).toBe(404)
})

test('list returns pages of one to a hundred subscriptions, of all customers or one', async () => {
  for (const n of [1, 2, 3]) fake.add({ id: `s-${n}`, customerId: `C${n % 2}` })
  const ids = ({ body }: { body: Record<string, unknown> }) =>
    (body.subscriptions as { subscriptionId: string }[] | undefined)?.map((item) => item.subscriptionId)
  const first = await api('subscriptions?maxResults=2')
  expect(ids(first)).toEqual(['s-1', 's-2'])
  const second = await api(`subscriptions?maxResults=2&pageToken=${first.body.nextPageToken}`)
  expect([ids(second), second.body.nextPageToken]).toEqual([['s-3'], undefined])
  expect(ids(await api('subscriptions?customerId=C1'))).toEqual(['s-1', 's-3'])
  expect(ids(await api('subscriptions?customerId=nobody'))).toBeUndefined()
  expect(ids(await api('subscriptions?customerNamePrefix=exam'))).toHaveLength(3)
  for (const wrong of ['maxResults=0', 'maxResults=101', 'maxResults=x', 'pageToken=x']) {
    expect(await api(`subscriptions?${wrong}`)).toMatchObject({ status: 400, reason: 'invalid' })
  }
})

describe("Google's description of the API", () => {
  const planted = async (
    spoil: (exchange: Exchange) => void,
    path = 'customers/C0123456/subscriptions/s-1',
  ) => {
    fake.add({ id: 's-1' })
    await api(path, path.endsWith('changeSeats') ? { body: { numberOfSeats: 12 } } : {})
    const exchange = fake.exchanges.at(-1)
    if (!exchange) throw new Error('Nothing was asked.')
    expect(faultsOf(exchange)).toEqual([])
    const { call, answer } = exchange
    const copy = {
      ...exchange,
      call: { ...call, query: new URLSearchParams(call.query) },
      answer: structuredClone(answer),
    }
    spoil(copy)
    return faultsOf(copy)
  }
  const spoilt =
    (change: (body: Record<string, Record<string, unknown>>) => void) => (exchange: Exchange) => {
      if (typeof exchange.answer === 'object') change(exchange.answer.body as never)
    }
  const CHANGE = 'customers/C0123456/subscriptions/s-1/changeSeats'

  test.each<[string, (exchange: Exchange) => void, string, string?]>([
    [
      'a number as text',
      spoilt((body) => Object.assign(body.seats ?? {}, { numberOfSeats: '12' })),
      'seats.numberOfSeats',
    ],
    ['a time as number', spoilt((body) => Object.assign(body, { creationTime: 1 })), 'creationTime'],
    ['a time that is none', spoilt((body) => Object.assign(body, { creationTime: 'May' })), 'creationTime'],
    ['a field of our own', spoilt((body) => Object.assign(body, { quantity: 1 })), 'quantity'],
    [
      'one deep inside',
      spoilt((body) => Object.assign(body.plan ?? {}, { isCommitted: true })),
      'isCommitted',
    ],
    [
      'a number too large',
      spoilt((body) => Object.assign(body.seats ?? {}, { numberOfSeats: 2 ** 31 })),
      'numberOfSeats',
    ],
    ['another parameter', ({ call }) => call.query.set('view', 'full'), 'parameter view'],
    [
      'another path',
      ({ call }) => Object.assign(call, { target: '/apps/reseller/v1/seats' }),
      'not described',
    ],
    [
      'a field in the request',
      ({ call }) => Object.assign(call, { text: '{"quantity":12}' }),
      'quantity',
      CHANGE,
    ],
    ['a body where none belongs', ({ call }) => Object.assign(call, { text: '{}' }), 'has a body'],
  ])('finds %s', async (_what, spoil, expected, path) => {
    expect((await planted(spoil, path)).join('\n')).toContain(expected)
  })

  test('finds a page size over the limit', async () => {
    const spoil = ({ call }: Exchange) => call.query.set('maxResults', '101')
    expect(await planted(spoil, 'subscriptions?maxResults=100')).toEqual([
      'request: parameter maxResults is 101',
    ])
  })

  test('ignores the field that the fake adds on purpose, and only that', async () => {
    fake.add({ id: 's-1' })
    for (const _ of [1, 2, 3]) await api('customers/C0123456/subscriptions/s-1')
    const grown = fake.exchanges.filter(({ answer }) => JSON.stringify(answer).includes('unseenBefore'))
    expect(grown.length).toBeGreaterThan(0)
    expect(grown.flatMap(faultsOf)).toEqual([])
  })
})

test('returns the settings with which the console calls it', () => {
  expect(fake.environment(folder)).toEqual({
    GOOGLE_KEY_FILE: join(folder, 'google-key.json'),
    GOOGLE_ADMIN: 'admin@reseller.example',
    GOOGLE_URL: fake.url,
    GOOGLE_TOKEN_URL: `${fake.url}/token`,
  })
})
