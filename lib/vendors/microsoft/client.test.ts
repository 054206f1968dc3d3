import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type FakeMicrosoft,
  type MicrosoftOptions,
  startMicrosoft,
} from '../../../test/fakes/microsoft/fake.ts'
import { uncounted } from '../test-budget.ts'
import { remoteVendor } from '../vendors.ts'
import { connect } from './connect.ts'
import { microsoft as declared } from './declaration.ts'

describe('client', () => {
  // A vendor that echoes the request, as error pages do.
  const server = createServer((request, response) => {
    if (request.url === '/token') {
      response.end(JSON.stringify({ access_token: 'top-secret-token', expires_in: '3599' }))
      return
    }
    const description = `You sent ${request.headers.authorization} and the secret p@ss-word.`
    response.writeHead(400).end(JSON.stringify({ code: 2000, description }))
  })
  let url = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close().closeAllConnections())

  test('never repeats a token or the secret in a reason', async () => {
    const credentials = { tokenUrl: `${url}/token`, clientId: 'c', clientSecret: 'p@ss-word' }
    const microsoft = connect({ url, settleMs: 0, callsPerMinute: 300, ...credentials }, uncounted)
    const ref = { customerId: 't', subscriptionId: 's', skuId: 'k' }
    const signal = AbortSignal.timeout(2000)
    const raw = { json: '{"quantity":1}', etag: 'e' }
    const seats = { purchased: 1, maximum: 1, assigned: 0 }
    const plan = { planName: 'FLEXIBLE', isCommitmentPlan: false, renewalType: null }
    const read = {
      ...ref,
      ...plan,
      status: 'ACTIVE',
      commitmentStart: null,
      commitmentEnd: null,
      seats,
      own: raw,
    }
    const result = JSON.stringify([
      await microsoft.read(ref, signal),
      await microsoft.list(undefined, signal),
      await microsoft.setQuantity(read, 2, crypto.randomUUID(), signal),
    ])
    expect(result.match(/You sent Bearer … and the secret …\. \(2000\)/g)).toHaveLength(3)
    expect(result).not.toMatch(/top-secret|p@ss/)
  })
})

describe('token', () => {
  const ref = { customerId: 'tenant-1', subscriptionId: 'sub-1', skuId: 'CFQ7TTC0LH18:0001' }
  const deadline = (ms = 5000) => AbortSignal.timeout(ms)

  let fake: FakeMicrosoft
  afterEach(() => fake.close())

  async function vendor(options: MicrosoftOptions = {}, config: Partial<FakeMicrosoft['config']> = {}) {
    fake = await startMicrosoft({ showsAssigned: false, ...options })
    fake.add({ id: 'sub-1', customerId: 'tenant-1' })
    return remoteVendor(declared, { ...fake.config, ...config }, uncounted)
  }
  const granted = () => fake.exchanges.filter(({ call }) => call.name === 'token').length

  test('is shared by all calls, also by concurrent ones', async () => {
    const microsoft = await vendor()
    const vendorReads = await Promise.all(Array.from({ length: 8 }, () => microsoft.read(ref, deadline())))
    expect(vendorReads.map(({ kind }) => kind)).toEqual(Array(8).fill('read'))
    await microsoft.read(ref, deadline())
    expect(granted()).toBe(1)
  })

  test('a token is renewed before it expires', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 30) })
    try {
      const microsoft = await vendor({ tokenSeconds: 600 })
      const granted = async (seconds: number) => {
        vi.setSystemTime(Date.UTC(2026, 10, 30) + seconds * 1000)
        expect(await microsoft.read(ref, deadline())).toMatchObject({ kind: 'read' })
        return fake.exchanges.filter(({ call }) => call.name === 'token').length
      }
      expect([await granted(0), await granted(200), await granted(595)]).toEqual([1, 1, 2])
    } finally {
      vi.useRealTimers()
    }
  })

  test('is renewed after it was revoked, and the call repeated once', async () => {
    const microsoft = await vendor()
    const vendorRead = await microsoft.read(ref, deadline())
    const observed = vendorRead.kind === 'read' ? vendorRead.observed : expect.fail()
    fake.revokeTokens()
    expect(await microsoft.read(ref, deadline())).toMatchObject({ kind: 'read' })
    fake.revokeTokens()
    expect(await microsoft.list(undefined, deadline())).toMatchObject({ kind: 'page' })
    fake.revokeTokens()
    const answer = await microsoft.setQuantity(observed, 26, crypto.randomUUID(), deadline())
    expect(answer).toMatchObject({ kind: 'applied' })
    expect([fake.writes.length, granted()]).toEqual([1, 4])
  })

  test('is not renewed a second time for the same call', async () => {
    const microsoft = await vendor()
    const vendorRead = await microsoft.read(ref, deadline())
    const observed = vendorRead.kind === 'read' ? vendorRead.observed : expect.fail()
    fake.setFault('sub-1', { write: 'token-expired' })
    const answer = await microsoft.setQuantity(observed, 26, crypto.randomUUID(), deadline())
    expect(answer).toMatchObject({ kind: 'not_sent', code: 'vendor_unavailable' })
    const writes = fake.exchanges.filter(({ call }) => call.kind === 'write')
    expect([writes.length, granted(), fake.writes]).toEqual([2, 2, []])
    const ids = writes.map(({ call }) => call.headers['ms-requestid'])
    expect(ids[0]).toBe(ids[1])
  })

  test.each<[Partial<FakeMicrosoft['config']>, string]>([
    [{ clientSecret: 'a-wrong-secret' }, 'invalid_client (AADSTS7000215: the secret is wrong)'],
    [{ clientId: 'somebody' }, 'unauthorized_client'],
    [{ tokenUrl: 'http://127.0.0.1:9/token' }, 'connection failed'],
    [{ tokenUrl: 'nonsense' }, 'could not be written'],
  ])('is missing after %j: nothing was sent, and no reason contains a secret', async (config, message) => {
    const microsoft = await vendor({}, config)
    const vendorRead = await microsoft.read(ref, deadline())
    // An unreachable token endpoint does not mean that access is denied.
    const why = config.tokenUrl ? undefined : 'no_access'
    expect(vendorRead).toEqual({ kind: 'unavailable', reason: expect.stringContaining(message), why })
    expect(JSON.stringify(vendorRead)).not.toContain(config.clientSecret ?? 'only-for-the-fake')
    const list = await microsoft.list(undefined, deadline())
    expect(list).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining(message) })
    expect(fake.exchanges.filter(({ call }) => call.name !== 'token')).toEqual([])
  })

  test.each([
    ['throttle', { kind: 'unavailable', retryAfter: 7 }],
    ['error-before', { kind: 'unavailable' }],
    ['drop-before', { kind: 'unavailable' }],
  ])('is requested again by the next call after %s', async (fault, expected) => {
    const microsoft = await vendor({ retryAfter: 7 })
    fake.failNext('auth', fault)
    expect(await microsoft.read(ref, deadline())).toMatchObject(expected)
    expect(await microsoft.read(ref, deadline())).toMatchObject({ kind: 'read' })
  })

  test('is still obtained for waiting calls when the first call is aborted', async () => {
    const microsoft = await vendor()
    fake.failNext('auth', 'slow')
    const [early, longRead] = [microsoft.read(ref, deadline(50)), microsoft.read(ref, deadline())]
    expect(await early).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('in time') })
    expect(await longRead).toMatchObject({ kind: 'read' })
    expect(granted()).toBe(1)
  })
})
