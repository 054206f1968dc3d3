import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type GoogleFixture, openGoogle } from '../../../test/fakes/google/fixture.ts'
import { uncounted } from '../test-budget.ts'
import { ORDER, ORDER_READONLY, tokens as tokensOf } from './client.ts'
import { connect } from './connect.ts'

let fakeGoogle: GoogleFixture
beforeEach(async () => {
  fakeGoogle = await openGoogle()
})
afterEach(() => fakeGoogle.close())

const deadline = (ms = 5000) => AbortSignal.timeout(ms)
const exchanges = () => fakeGoogle.fake.exchanges.filter(({ call }) => call.kind === 'auth')
const claims = (index: number) => {
  const assertion = new URLSearchParams(exchanges()[index]?.call.text).get('assertion') ?? ''
  return JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString())
}

test('a signed assertion is exchanged once for a token with only the required scope', async () => {
  const [readTokens, writing] = [
    tokensOf(fakeGoogle.config, ORDER_READONLY),
    tokensOf(fakeGoogle.config, ORDER),
  ]
  const [first, second] = await Promise.all([readTokens.token(deadline()), readTokens.token(deadline())])
  expect(first).toEqual({ kind: 'token', value: expect.stringMatching(/^ya29\./) })
  expect(second).toEqual(first)
  expect(await readTokens.token(deadline())).toEqual(first)
  expect(exchanges()).toHaveLength(1)
  const write = await writing.token(deadline())
  expect(write).not.toEqual(first)
  expect([claims(0), claims(1)]).toMatchObject([
    { sub: 'admin@reseller.example', scope: ORDER_READONLY, aud: 'https://oauth2.googleapis.com/token' },
    { sub: 'admin@reseller.example', scope: ORDER },
  ])
  writing.drop('another')
  expect(await writing.token(deadline())).toEqual(write)
  writing.drop(write.kind === 'token' ? write.value : '')
  expect(await writing.token(deadline())).not.toEqual(write)
})

describe('authentication', () => {
  const failedRead = async (change: Partial<GoogleFixture['config']>) =>
    tokensOf({ ...fakeGoogle.config, ...change }, ORDER).token(deadline())

  test('fails with another key', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    fakeGoogle.fake.keyFile(fakeGoogle.folder, privateKey)
    expect(await failedRead({})).toEqual({
      kind: 'none',
      why: 'no_access',
      reason: expect.stringContaining('400 invalid_grant for the service account as admin@reseller.example'),
    })
  })

  test('fails for another administrator', async () => {
    const reason = expect.stringContaining('401 unauthorized_client')
    expect(await failedRead({ admin: 'other@reseller.example' })).toMatchObject({ kind: 'none', reason })
  })

  test('fails for a scope that was not delegated, while the other scope keeps working', async () => {
    const reader = await openGoogle({ scopes: [ORDER_READONLY] })
    try {
      reader.fake.add({ id: 's-1' })
      const ref = { customerId: 'C0123456', subscriptionId: 's-1', skuId: '1010020020' }
      const vendorRead = await reader.vendor.read(ref, deadline())
      if (vendorRead.kind !== 'read') throw new Error(vendorRead.reason)
      const result = await reader.vendor.setQuantity(vendorRead.observed, 12, 'change-1', deadline())
      const reason = expect.stringContaining('both scopes have to be delegated')
      expect(result).toMatchObject({ kind: 'not_sent', code: 'vendor_unavailable', reason })
      expect(reader.fake.writes).toEqual([])
    } finally {
      await reader.close()
    }
  })

  test.each([
    ['no file', undefined, 'cannot be read'],
    ['no JSON', 'SECRET', "is no service account's key"],
    ['JSON cut short', '{"private_key":"SECRET', "is no service account's key"],
    ['no key in it', '{"client_email":"a@b.example"}', "is no service account's key"],
    ['a broken key', '{"client_email":"a@b.example","private_key":"SECRET"}', 'could not be used'],
  ])('fails for a key file with %s, without repeating the file’s text', async (_what, text, message) => {
    const keyFile = join(fakeGoogle.folder, 'broken.json')
    if (text !== undefined) writeFileSync(keyFile, text)
    const result = await failedRead({ keyFile })
    expect(result).toMatchObject({ kind: 'none', reason: expect.stringContaining(message) })
    expect(JSON.stringify(result)).toContain(keyFile)
    expect(JSON.stringify(result)).not.toContain('SECRET')
  })
})

test.each(['drop-before', 'hang-before', 'error-before', 'throttle', 'no-json', 'huge', 'redirect'])(
  'a token endpoint that suffers %s is called once, and again by the next call',
  async (fault) => {
    const tokens = tokensOf(fakeGoogle.config, ORDER)
    fakeGoogle.fake.failNext('auth', fault)
    const result = await tokens.token(deadline(fault === 'hang-before' ? 500 : 5000))
    expect(result).toMatchObject({
      kind: 'none',
      reason: expect.stringMatching(/^no token.+[^.]$/),
    })
    expect(exchanges()).toHaveLength(1)
    if (fault === 'hang-before') return
    expect(await tokens.token(deadline())).toMatchObject({ kind: 'token' })
  },
)

test('an aborted call does not abort the shared token request of the others', async () => {
  const slow = await openGoogle()
  try {
    const tokens = tokensOf(slow.config, ORDER)
    const controller = new AbortController()
    const [impatient, patient] = [tokens.token(controller.signal), tokens.token(deadline())]
    controller.abort()
    expect(await impatient).toMatchObject({ kind: 'none' })
    expect(await patient).toMatchObject({ kind: 'token' })
  } finally {
    await slow.close()
  }
})

test('a token that Google refuses is replaced immediately', async () => {
  fakeGoogle.fake.add({ id: 's-1' })
  const ref = { customerId: 'C0123456', subscriptionId: 's-1', skuId: '1010020020' }
  expect(await fakeGoogle.vendor.read(ref, deadline())).toMatchObject({ kind: 'read' })
  fakeGoogle.fake.revokeTokens()
  expect(await fakeGoogle.vendor.read(ref, deadline())).toMatchObject({ kind: 'read' })
})

test('a key replaced on disk is used without a restart', async () => {
  const right = readFileSync(fakeGoogle.config.keyFile, 'utf8')
  writeFileSync(fakeGoogle.config.keyFile, 'not yet')
  const tokens = tokensOf(fakeGoogle.config, ORDER)
  expect(await tokens.token(deadline())).toMatchObject({ kind: 'none' })
  writeFileSync(fakeGoogle.config.keyFile, right)
  expect(await tokens.token(deadline())).toMatchObject({ kind: 'token' })
})

test('neither token, assertion nor key is part of a reason, even if the answer repeats them', async () => {
  const echo = createServer(async (request, response) => {
    const sent = `${request.headers.authorization} ${Buffer.concat(await request.toArray())}`
    const errors = [{ reason: 'invalid', message: sent }]
    const body = { error: { code: 400, message: sent, errors }, error_description: sent }
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`
  try {
    fakeGoogle.fake.add({ id: 's-1' })
    const ref = { customerId: 'C0123456', subscriptionId: 's-1', skuId: '1010020020' }
    const vendorRead = await fakeGoogle.vendor.read(ref, deadline())
    if (vendorRead.kind !== 'read') throw new Error(vendorRead.reason)
    const result = await connect({ ...fakeGoogle.config, url }, uncounted).setQuantity(
      vendorRead.observed,
      12,
      'c',
      deadline(),
    )
    expect(result).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('Bearer …') })
    const none = await tokensOf({ ...fakeGoogle.config, tokenUrl: url }, ORDER).token(deadline())
    expect(none).toMatchObject({ kind: 'none', reason: expect.stringContaining('400') })
    expect(JSON.stringify([result, none])).not.toMatch(/ya29\.|eyJ|PRIVATE KEY/)
  } finally {
    echo.closeAllConnections()
    await new Promise((resolve) => echo.close(resolve))
  }
})
