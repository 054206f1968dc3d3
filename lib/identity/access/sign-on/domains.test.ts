import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { readServiceStats } from '#lib/server/service-stats.ts'
import { type NameServer, startNameServer } from '../../../../test/fakes/issuers/name-server.ts'
import { addDomain, isPublicSuffix, listDomains, proveDomain, recheckDomains, recordOf } from './domains.ts'
import { findProviderOf } from './find-provider.ts'
import { addProvider } from './providers.ts'

let database: TestDatabase
let names: NameServer
let customerId = '' as CustomerId
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
  customerId = (await addNewCustomer()) as CustomerId
  domain = `${customerId}.example`
  admin = await addMember(customerId, { roles: ['admin'] })
  await addMember(customerId, { roles: ['it-manager'] })
})
afterEach(() => names.records.clear())

const verifyBy = (by: 'dns' | 'operator') =>
  scope({ customerId }, async (tx) => {
    const secret = { clientId: 'console', clientSecret: 'a secret', scopes: ['openid'] }
    const providerId = await addProvider(tx, customerId, {
      name: 'default',
      issuer: 'https://login.example',
      ...secret,
    })
    const { token } = await addDomain(tx, customerId, { domain, providerId })
    await proveDomain(tx, customerId, domain, by)
    const { name, text } = recordOf(domain, token)
    names.records.set(name, [text])
    return name
  })
const recheck = () => recheckDomains('test-request', new AbortController().signal)
const advanceTo = (time: string) =>
  database.sql(
    customerId,
    `UPDATE sign_on_domains SET checked_at = checked_at - interval '${time}', lost_at = lost_at - interval '${time}'`,
  )
const readState = async () => {
  const [row] = await scope({ customerId }, (tx) => listDomains(tx, customerId))
  return {
    isLost: row?.lostAt !== null,
    by: row?.provenBy,
    finds: (await findProviderOf(domain)) !== undefined,
  }
}
const listMails = () =>
  database.sql(
    customerId,
    "SELECT recipient AS member_id, content ->> 'event' AS event, content ->> 'about' AS about FROM outbox ORDER BY seq",
  )
const events = async () =>
  (
    await database.sql(
      customerId,
      "SELECT action FROM audit_events WHERE action LIKE 'sign-on-domain.%' ORDER BY id",
    )
  ).map(({ action }) => action)

describe('a proven domain', () => {
  it('keeps its status while its record is present, and is queried once a day', async () => {
    const name = await verifyBy('dns')
    await advanceTo('21 hours')
    expect([await recheck(), await readState()]).toEqual([0, { isLost: false, by: 'dns', finds: true }])
    names.records.delete(name)
    expect([await recheck(), await readState()]).toEqual([0, { isLost: false, by: 'dns', finds: true }])
  })

  it('is reported once when its record is missing, counts for seven days, and finds no issuer afterwards', async () => {
    names.records.delete(await verifyBy('dns'))
    await advanceTo('1 day')
    expect([await recheck(), await readState()]).toEqual([1, { isLost: true, by: 'dns', finds: true }])
    expect((await readServiceStats()).domains).toEqual({ lost: 1 })
    await advanceTo('6 days')
    expect([await recheck(), await readState()]).toEqual([0, { isLost: true, by: 'dns', finds: true }])
    expect(await listMails()).toEqual([{ member_id: admin, event: 'domain-lost', about: domain }])
    await advanceTo('25 hours')
    expect([await recheck(), await readState()]).toEqual([1, { isLost: false, by: null, finds: false }])
    expect((await listMails()).map(({ event }) => event)).toEqual(['domain-lost', 'domain-ended'])
    expect(await events()).toEqual(['sign-on-domain.lost', 'sign-on-domain.ended'])
    expect((await readServiceStats()).domains).toEqual({ lost: 0 })
  })

  it('counts as before where its record is restored in time', async () => {
    const name = await verifyBy('dns')
    const texts = names.records.get(name) ?? []
    names.records.set(name, ['something else'])
    await advanceTo('1 day')
    await recheck()
    names.records.set(name, texts)
    await advanceTo('6 days')
    expect([await recheck(), await readState()]).toEqual([1, { isLost: false, by: 'dns', finds: true }])
    expect(await events()).toEqual(['sign-on-domain.lost', 'sign-on-domain.found'])
  })

  it('stays lost without its record where it is the last one and passwords are off', async () => {
    names.records.delete(await verifyBy('dns'))
    await run(
      database.url,
      `SET console.operated = '${customerId}'; UPDATE customers SET sign_on_only_since = now() WHERE id = '${customerId}'`,
    )
    await advanceTo('1 day')
    expect(await recheck()).toBe(1)
    for (const _ of ['a week', 'a month']) {
      await advanceTo('30 days')
      expect([await recheck(), await readState()]).toEqual([0, { isLost: true, by: 'dns', finds: true }])
    }
    expect((await listMails()).map(({ event }) => event)).toEqual(['domain-lost'])
    expect((await readServiceStats()).domains).toEqual({ lost: 1 })
    const more = `INSERT INTO sign_on_domains (customer_id, domain, provider_id, token, proven_at, proven_by)
      SELECT customer_id, 'more.' || domain, provider_id, 'token', now(), 'operator' FROM sign_on_domains`
    await database.sql(customerId, more)
    await advanceTo('1 day')
    expect(await recheck()).toBe(1)
    expect(await findProviderOf(domain)).toBeUndefined()
  })

  it('is not lost where no name server answers', async () => {
    await verifyBy('dns')
    await advanceTo('1 day')
    vi.stubEnv('SIGN_ON_DNS', '127.0.0.1:9')
    expect([await recheck(), await readState()]).toEqual([0, { isLost: false, by: 'dns', finds: true }])
    vi.stubEnv('SIGN_ON_DNS', names.address)
    names.records.clear()
    expect([await recheck(), await readState()]).toMatchObject([1, { isLost: true }])
  })

  it('is not queried after the operator’s confirmation', async () => {
    names.records.delete(await verifyBy('operator'))
    await advanceTo('30 days')
    expect([await recheck(), await readState()]).toEqual([0, { isLost: false, by: 'operator', finds: true }])
  })
})

it.each([
  ['co.uk', true],
  ['com.au', true],
  ['github.io', true],
  ['azurewebsites.net', true],
  ['xn--55qx5d.cn', true],
  ['sunbird.example', false],
  ['sunbird.co.uk', false],
  ['mail.sunbird.co.uk', false],
  ['sunbird.github.io', false],
])('%s is a public suffix: %s', (name, isSuffix) => {
  expect(isPublicSuffix(name)).toBe(isSuffix)
})
