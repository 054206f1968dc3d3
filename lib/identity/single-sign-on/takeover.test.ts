import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { addDomain, listDomains, proveDomain, recordOf } from '#lib/identity/access/sign-on/domains.ts'
import { findOwnerOf, findProviderOf } from '#lib/identity/access/sign-on/find-provider.ts'
import { addProvider } from '#lib/identity/access/sign-on/providers.ts'
import { signedIn } from '#lib/identity/members/test-calls.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { type NameServer, startNameServer } from '../../../test/fakes/issuers/name-server.ts'
import * as operations from './operations.ts'
import { callApi } from './test-calls.ts'

// A domain changes hands while its former owner, whose members have no other sign-in method, still has it here.

let database: TestDatabase
let names: NameServer
let [former, next] = ['', ''] as CustomerId[] as [CustomerId, CustomerId]
let domain = ''
const admin = { former: '', next: '' }
beforeAll(async () => {
  database = await testDatabase()
  names = await startNameServer()
  vi.stubEnv('SIGN_ON_DNS', names.address)
  vi.stubEnv('SMTP_URL', 'smtp://127.0.0.1:9')
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  vi.stubEnv('BASE_URL', 'http://console.example')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await names.close()
  await database.close()
})

const named = (customerId: CustomerId, by?: 'dns' | 'operator') =>
  scope({ customerId }, async (tx) => {
    const client = { clientId: 'console', clientSecret: 'a secret', scopes: ['openid'] }
    const provider = { name: 'default', issuer: `https://${customerId}.example`, ...client }
    const providerId = await addProvider(tx, customerId, provider)
    const { token } = await addDomain(tx, customerId, { domain, providerId })
    if (by) await proveDomain(tx, customerId, domain, by)
    return recordOf(domain, token)
  })
const lost = (days: number) =>
  database.sql(former, 'UPDATE sign_on_domains SET lost_at = now() - make_interval(days => $1::int)', [days])
const passwordsOff = () =>
  database.sql(former, 'UPDATE customers SET sign_on_only_since = now() WHERE id = $1', [former])

beforeEach(async () => {
  names.records.clear()
  former = (await addNewCustomer()) as CustomerId
  next = (await addNewCustomer()) as CustomerId
  domain = `${former}.example`
  admin.former = await addMember(former, { roles: ['admin'], email: `ana@${domain}` })
  admin.next = await addMember(next, { roles: ['admin'] })
})

/** Publishes the new owner's record, and checks it. */
async function prove() {
  const { name, text } = await named(next)
  names.records.set(name, [...(names.records.get(name) ?? []), text])
  const headers = await signedIn(next, admin.next)
  return callApi(operations.checkSignOnDomain, { headers, params: { domain } })
}

describe('a domain of a former owner', () => {
  it('passes to the customer that proves it after its record was missing for a week, even as the last sign-in method', async () => {
    await named(former, 'dns')
    await passwordsOff()
    await lost(8)
    const { status, json } = await prove()
    expect([status, json.provenBy ?? json.state ?? json]).toEqual([200, expect.anything()])
    expect(await findOwnerOf(domain)).toBe(next)
    expect((await findProviderOf(domain))?.customerId).toBe(next)
    const [row] = await scope({ customerId: former }, (tx) => listDomains(tx, former))
    expect(row).toMatchObject({ domain, provenAt: null, lostAt: null })
    // The new owner reads the mail of the domain: passwords stay off, and the operator lets the former members in.
    const off = 'SELECT sign_on_only_since IS NOT NULL AS is FROM customers WHERE id = $1'
    expect(await database.sql(former, off, [former])).toEqual([{ is: true }])
    const mails =
      "SELECT recipient AS member_id, content ->> 'event' AS event, content ->> 'about' AS about FROM outbox"
    expect(await database.sql(former, mails)).toEqual([
      { member_id: admin.former, event: 'domain-ended', about: domain },
    ])
    const query = "SELECT details FROM audit_events WHERE action = 'sign-on-domain.ended'"
    expect(await database.sql(former, query)).toEqual([{ details: { by: 'proof of another customer' } }])
    // Neither customer learns the name of the other.
    const all = await database.sql(former, 'SELECT details, subject FROM audit_events')
    expect(JSON.stringify(all)).not.toContain(next)
    expect(JSON.stringify(await database.sql(next, 'SELECT details FROM audit_events'))).not.toContain(
      `"${former}"`,
    )
  })

  it.each([
    ['has its record', 'dns', undefined],
    ['has been without its record for six days', 'dns', 6],
    ['was confirmed by the operator', 'operator', undefined],
  ] as const)('stays theirs where it %s', async (_, by, days) => {
    await named(former, by)
    await passwordsOff()
    if (days) await lost(days)
    const { status, json } = await prove()
    expect([status, json.code]).toEqual([409, 'domain_taken'])
    expect(await findOwnerOf(domain)).toBe(former)
    expect(await database.sql(former, 'SELECT FROM outbox')).toEqual([])
  })

  it('stays with its owner where the record was restored since the last check', async () => {
    const { name, text } = await named(former, 'dns')
    await lost(30)
    names.records.set(name, [text])
    expect((await prove()).json.code).toBe('domain_taken')
    expect(await findOwnerOf(domain)).toBe(former)
  })
})
