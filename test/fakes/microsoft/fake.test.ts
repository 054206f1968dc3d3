import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { vendorSettings } from '#lib/vendors/settings.ts'
import { type FakeMicrosoft, startMicrosoft } from './fake.ts'

// The fake enforces Partner Center's rules: a client that violates them fails here, and not at a customer's.

let fake: FakeMicrosoft
let authorization = ''
beforeEach(async () => {
  fake = await startMicrosoft()
  const scheduledNextTermInstructions = { quantity: 20 }
  const fields = { friendlyName: 'Ours', scheduledNextTermInstructions, promotionId: 'P-1' }
  fake.add({ id: 's', customerId: 'c', total: 25, vendorFields: { fields } })
  const granted = await token({})
  authorization = `Bearer ${granted.body.access_token}`
})
afterEach(() => fake.close())

async function token(overrides: Record<string, string>) {
  const { clientId, clientSecret, tokenUrl } = fake.config
  const scope = 'https://api.partnercenter.microsoft.com/.default'
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope }
  const answer = await fetch(tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({ ...form, ...overrides }),
  })
  return { status: answer.status, body: await answer.json() }
}

async function call(method: string, body?: object, headers: Record<string, string> = {}, path = '/s') {
  const url = `${fake.url}/v1/customers/c/subscriptions${path}`
  const sent = { authorization, 'ms-requestid': crypto.randomUUID(), ...headers }
  const answer = await fetch(url, { method, headers: sent, body: body ? JSON.stringify(body) : null })
  return { status: answer.status, body: await answer.json() }
}

test('its environment connects the console with it', () => {
  for (const [name, value] of Object.entries(fake.environment())) vi.stubEnv(name, value)
  expect(vendorSettings()['microsoft-partner-center']).toEqual({ ...fake.config, settleMs: 86_400_000 })
  vi.unstubAllEnvs()
})

test.each([
  [{ client_secret: 'wrong' }, 401, 'invalid_client'],
  [{ client_id: 'wrong' }, 400, 'unauthorized_client'],
  [{ scope: 'https://graph.microsoft.com/.default' }, 400, 'invalid_scope'],
  [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
])('a token is refused for %j', async (form, status, error) => {
  expect(await token(form)).toMatchObject({ status, body: { error } })
})

test('a request without a token is rejected', async () => {
  expect(await call('GET', undefined, { authorization: 'Bearer mine' })).toMatchObject({ status: 401 })
  expect(await call('PATCH', { quantity: 30 }, { authorization: '' })).toMatchObject({ status: 401 })
  expect(fake.subscription('s')?.total).toBe(25)
})

test('a client that sends only the quantity resets all other fields', async () => {
  expect(await call('PATCH', { quantity: 30 })).toMatchObject({ status: 200, body: { quantity: 30 } })
  expect(fake.subscription('s')?.vendorFields.fields).toEqual({ friendlyName: '', autoRenewEnabled: false })
})

test('a change in the term deletes a scheduled change, another change keeps it', async () => {
  const { body } = await call('GET')
  await call('PATCH', { ...body, friendlyName: 'New' })
  const unchanged = {
    friendlyName: 'New',
    promotionId: 'P-1',
    scheduledNextTermInstructions: { quantity: 20 },
  }
  expect(fake.subscription('s')?.vendorFields.fields).toMatchObject(unchanged)
  expect(fake.writes).toEqual([])
  await call('PATCH', { ...body, quantity: 26 })
  expect(fake.subscription('s')?.vendorFields.fields).not.toHaveProperty('scheduledNextTermInstructions')
})

test('a request with a stale If-Match is refused', async () => {
  const { body } = await call('GET')
  const condition = { 'if-match': `"${body.attributes.etag}"` }
  const first = await call('PATCH', { ...body, quantity: 26 }, condition)
  expect(first.body.attributes.etag).not.toBe(body.attributes.etag)
  const second = await call('PATCH', { ...body, quantity: 27 }, condition)
  expect(second).toMatchObject({ status: 400, body: { code: '2055' } })
  const bare = { 'if-match': first.body.attributes.etag }
  expect(await call('PATCH', { ...body, quantity: 27 }, bare)).toMatchObject({ body: { code: '2055' } })
  fake.setByVendor('s', 40)
  expect((await call('GET')).body.attributes.etag).not.toBe(first.body.attributes.etag)
})

test('a repeated request id gets the first response, even an error', async () => {
  const id = { 'ms-requestid': crypto.randomUUID() }
  const { body } = await call('GET')
  const first = await call('PATCH', { ...body, quantity: 30 }, id)
  expect(await call('PATCH', { ...body, quantity: 31 }, id)).toEqual(first)
  expect(fake.writes).toHaveLength(1)
  const other = { 'ms-requestid': crypto.randomUUID() }
  expect(await call('PATCH', { ...body, quantity: 999 }, other)).toMatchObject({ body: { code: '2002' } })
  expect(await call('PATCH', { ...body, quantity: 31 }, other)).toMatchObject({ body: { code: '2002' } })
})

test('licenses can be returned only within their window', async () => {
  const { body } = await call('GET')
  expect(body.refundableQuantity).toEqual({ totalQuantity: 0, details: [] })
  expect(await call('PATCH', { ...body, quantity: 24 })).toMatchObject({ body: { code: '800090' } })
  const more = await call('PATCH', { ...body, quantity: 28 })
  const details = [{ quantity: 3, allowedUntilDateTime: expect.any(String) }]
  expect(more.body.refundableQuantity).toEqual({ totalQuantity: 3, details })
  const less = await call('PATCH', { ...body, quantity: 26 })
  expect(less.body.refundableQuantity).toMatchObject({ totalQuantity: 1 })
})

test('another customer’s subscription is not found', async () => {
  fake.add({ id: 'theirs', customerId: 'another' })
  expect(await call('GET', undefined, {}, '/theirs')).toMatchObject({ status: 404 })
  expect(await call('PATCH', { quantity: 30 }, {}, '/theirs')).toMatchObject({ status: 404 })
  expect((await call('GET', undefined, {}, '')).body.items).toHaveLength(1)
})
