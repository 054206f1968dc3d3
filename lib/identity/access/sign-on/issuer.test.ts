import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type HostileIssuer, startHostile } from '../../../../test/fakes/issuers/hostile.ts'
import { configurationOf, FAILURE_MS, inspect } from './issuer.ts'

let issuer: HostileIssuer
let other: HostileIssuer

beforeAll(async () => {
  issuer = await startHostile()
  other = await startHostile()
  const hosts = [issuer, other].map((one) => new URL(one.issuer).host)
  vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', hosts.join(','))
})
afterEach(async () => {
  vi.useRealTimers()
  issuer.lie = {}
  await inspect(issuer.issuer)
  issuer.requests.length = 0
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await issuer.close()
  await other.close()
})

const advance = (ms: number) => vi.useFakeTimers({ now: Date.now() + ms, toFake: ['Date'] })
const OUTDATED = 11 * 60 * 1000
const issuerFor = (provider: HostileIssuer) =>
  configurationOf({ issuer: provider.issuer, clientId: 'console', clientSecret: 'secret' }).then(
    (configuration) => configuration.serverMetadata().issuer,
    (error: Error) => error.message,
  )
const tenTimes = () => Promise.all(Array.from({ length: 10 }, () => issuerFor(issuer)))

describe('discovery of an issuer', () => {
  it('is one request for concurrent sign-ins, and none while it is cached', async () => {
    advance(OUTDATED)
    expect(new Set(await tenTimes())).toEqual(new Set([issuer.issuer]))
    expect(issuer.requests).toHaveLength(1)
    await tenTimes()
    expect(issuer.requests).toHaveLength(1)
  })

  it('is not repeated for some seconds after a failure, which all concurrent sign-ins get', async () => {
    advance(OUTDATED)
    issuer.lie = { status: 503 }
    const [failure, ...others] = await tenTimes()
    expect(failure).not.toBe(issuer.issuer)
    expect(new Set(others)).toEqual(new Set([failure]))
    advance(FAILURE_MS - 1000)
    issuer.lie = {}
    expect(await issuerFor(issuer)).toBe(failure)
    expect(issuer.requests).toHaveLength(1)
    // The failure of one provider is none of another one's.
    expect(await issuerFor(other)).toBe(other.issuer)
    advance(1001)
    expect(await issuerFor(issuer)).toBe(issuer.issuer)
    expect(issuer.requests).toHaveLength(2)
    // It is forgotten.
    expect(await issuerFor(issuer)).toBe(issuer.issuer)
  })

  it('makes a single sign-in wait for a provider that is down, and fails the others', async () => {
    advance(OUTDATED)
    issuer.lie = { status: 503 }
    const failure = await issuerFor(issuer)
    advance(FAILURE_MS)
    issuer.lie = { body: 'silent' }
    const waiting = issuerFor(issuer)
    await vi.waitFor(() => expect(issuer.requests).toHaveLength(2))
    expect(new Set(await tenTimes())).toEqual(new Set([failure]))
    expect(issuer.requests).toHaveLength(2)
    // An Admin who checks the provider then bypasses both; the older discovery changes nothing.
    issuer.lie = {}
    await inspect(issuer.issuer)
    expect(await issuerFor(issuer)).toBe(issuer.issuer)
    expect(await waiting).not.toBe(issuer.issuer)
    expect(await issuerFor(issuer)).toBe(issuer.issuer)
    expect(issuer.requests).toHaveLength(3)
  }, 15_000)

  it('is repeated for an Admin who corrects the provider, and forgets the failure', async () => {
    advance(OUTDATED)
    issuer.lie = { status: 503 }
    const failure = await issuerFor(issuer)
    issuer.lie = {}
    expect(await issuerFor(issuer)).toBe(failure)
    await inspect(issuer.issuer)
    expect(await issuerFor(issuer)).toBe(issuer.issuer)
  })
})
