import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-server.ts'
import { readFigures } from '#lib/server/figures.ts'
import { type NameServer, startNameServer } from '../../../../test/fakes/issuers/name-server.ts'
import { addDomain, listDomains, proveDomain, recheckDomains, recordOf } from './domains.ts'
import { findProviderOf } from './look-up.ts'
import { addProvider } from './providers.ts'

let database: TestDatabase
let names: NameServer
let own = '' as CustomerId
let [domain, admin] = ['', '']

beforeAll(async () => {
  database = await testDatabase()
  names = await startNameServer()
  vi.stubEnv('SMTP_URL', 'smtp://127.0.0.1:9')
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  vi.stubEnv('BASE_URL', 'http://console.example')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await names.close()
  await database.close()
})
beforeEach(async () => {
  vi.stubEnv('SIGN_ON_DNS', names.address)
  own = (await addNewCustomer()) as CustomerId
  domain = `${own}.example`
  admin = await addMember(own, { roles: ['admin'] })
  await addMember(own, { roles: ['it-manager'] })
})
afterEach(() => names.records.clear())

const provenBy = (by: 'dns' | 'operator') =>
  scope({ customerId: own }, async (tx) => {
    const secret = { clientId: 'console', clientSecret: 'a secret', scopes: ['openid'] }
    const providerId = await addProvider(tx, own, {
      name: 'default',
      issuer: 'https://login.example',
      ...secret,
    })
    const { token } = await addDomain(tx, own, { domain, providerId })
    await proveDomain(tx, own, domain, by)
    const { name, text } = recordOf(domain, token)
    names.records.set(name, [text])
    return name
  })
const recheck = () => recheckDomains('test-request', new AbortController().signal)
const later = (time: string) =>
  database.sql(
    own,
    `UPDATE sign_on_domains SET checked_at = checked_at - interval '${time}', lost_at = lost_at - interval '${time}'`,
  )
const stands = async () => {
  const [row] = await scope({ customerId: own }, (tx) => listDomains(tx, own))
  return {
    isLost: row?.lostAt !== null,
    by: row?.provenBy,
    finds: (await findProviderOf(domain)) !== undefined,
  }
}
const told = () => database.sql(own, 'SELECT member_id, event, about FROM account_mails ORDER BY at')
const events = async () =>
  (
    await database.sql(
      own,
      "SELECT action FROM audit_events WHERE action LIKE 'sign-on-domain.%' ORDER BY id",
    )
  ).map(({ action }) => action)

describe('a domain whose record', () => {
  it('is there stays as it is, and is asked for once a day', async () => {
    const name = await provenBy('dns')
    await later('21 hours')
    expect([await recheck(), await stands()]).toEqual([0, { isLost: false, by: 'dns', finds: true }])
    names.records.delete(name)
    expect([await recheck(), await stands()]).toEqual([0, { isLost: false, by: 'dns', finds: true }])
  })

  it('is missing is told of once, counts for seven days, and finds no issuer then', async () => {
    names.records.delete(await provenBy('dns'))
    await later('1 day')
    expect([await recheck(), await stands()]).toEqual([1, { isLost: true, by: 'dns', finds: true }])
    expect((await readFigures()).domains).toEqual({ lost: 1 })
    await later('6 days')
    expect([await recheck(), await stands()]).toEqual([0, { isLost: true, by: 'dns', finds: true }])
    expect(await told()).toEqual([{ member_id: admin, event: 'domain-lost', about: domain }])
    await later('25 hours')
    expect([await recheck(), await stands()]).toEqual([1, { isLost: false, by: null, finds: false }])
    expect((await told()).map(({ event }) => event)).toEqual(['domain-lost', 'domain-ended'])
    expect(await events()).toEqual(['sign-on-domain.lost', 'sign-on-domain.ended'])
    expect((await readFigures()).domains).toEqual({ lost: 0 })
  })

  it('comes back in time is as before', async () => {
    const name = await provenBy('dns')
    const texts = names.records.get(name) ?? []
    names.records.set(name, ['something else'])
    await later('1 day')
    await recheck()
    names.records.set(name, texts)
    await later('6 days')
    expect([await recheck(), await stands()]).toEqual([1, { isLost: false, by: 'dns', finds: true }])
    expect(await events()).toEqual(['sign-on-domain.lost', 'sign-on-domain.found'])
  })

  it('is missing for long stays lost where it is the last, and passwords are off', async () => {
    names.records.delete(await provenBy('dns'))
    await run(
      database.url,
      `SET console.operated = '${own}'; UPDATE customers SET sign_on_only_since = now() WHERE id = '${own}'`,
    )
    await later('1 day')
    expect(await recheck()).toBe(1)
    for (const _ of ['a week', 'a month']) {
      await later('30 days')
      expect([await recheck(), await stands()]).toEqual([0, { isLost: true, by: 'dns', finds: true }])
    }
    expect((await told()).map(({ event }) => event)).toEqual(['domain-lost'])
    expect((await readFigures()).domains).toEqual({ lost: 1 })
    const more = `INSERT INTO sign_on_domains (customer_id, domain, provider_id, token, proven_at, proven_by)
      SELECT customer_id, 'more.' || domain, provider_id, 'token', now(), 'operator' FROM sign_on_domains`
    await database.sql(own, more)
    await later('1 day')
    expect(await recheck()).toBe(1)
    expect(await findProviderOf(domain)).toBeUndefined()
  })

  it('can not be asked for, since no name server answers, is not lost', async () => {
    await provenBy('dns')
    await later('1 day')
    vi.stubEnv('SIGN_ON_DNS', '127.0.0.1:9')
    expect([await recheck(), await stands()]).toEqual([0, { isLost: false, by: 'dns', finds: true }])
    vi.stubEnv('SIGN_ON_DNS', names.address)
    names.records.clear()
    expect([await recheck(), await stands()]).toMatchObject([1, { isLost: true }])
  })

  it('was never asked for, since the operator has confirmed it, is not looked for', async () => {
    names.records.delete(await provenBy('operator'))
    await later('30 days')
    expect([await recheck(), await stands()]).toEqual([0, { isLost: false, by: 'operator', finds: true }])
  })
})
