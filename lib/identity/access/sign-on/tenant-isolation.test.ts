import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { listDomains, proveDomain, removeDomain } from './domains.ts'
import { disableProvider, isSignOnOnly, listProviders, readProvider, setSignOnOnly } from './providers.ts'
import { bindSubject, lockProvider, memberOfAddress, memberOfSubject, releaseSubjects } from './subjects.ts'
import { setUp } from './test-browser.ts'

const [alder, birch] = ['alder', 'birch'] as CustomerId[] as [CustomerId, CustomerId]
const TABLES = ['customers', 'members', 'identity_providers', 'sign_on_domains', 'sign_on_subjects']
const EMAIL = 'ben@birch.example'
let database: TestDatabase
let [providerId, memberId] = ['', '']

beforeAll(async () => {
  database = await testDatabase()
  for (const id of [alder, birch]) await addCustomer(id)
  memberId = await addMember(birch, { roles: ['admin'], email: EMAIL })
  providerId = await setUp(birch, 'birch.example', { issuer: 'https://login.birch.example' })
  await scope({ customerId: birch }, (tx) => bindSubject(tx, birch, { providerId, subject: 's', memberId }))
})
afterAll(() => database.close())

const setRowSecurity = (how: 'ENABLE' | 'DISABLE') =>
  run(database.url, TABLES.map((table) => `ALTER TABLE ${table} ${how} ROW LEVEL SECURITY;`).join(' '))

/** Tries to read and change birch's single sign-on in the scope of alder; `as` is the customer id in the statements. */
const attempts = (as: CustomerId) =>
  scope({ customerId: alder }, async (tx: Transaction) => {
    await disableProvider(tx, as, providerId)
    await proveDomain(tx, as, 'birch.example', 'dns')
    await setSignOnOnly(tx, as, as === birch)
    return [
      (await listProviders(tx, as)).length + (await listDomains(tx, as)).length,
      (await readProvider(tx, as, 'default')) ?? false,
      await lockProvider(tx, as, providerId),
      (await memberOfSubject(tx, as, { providerId, subject: 's' })) ?? false,
      (await memberOfAddress(tx, as, { providerId, email: EMAIL })) ?? false,
      await releaseSubjects(tx, as, { providerId }),
      await releaseSubjects(tx, as, { memberId }),
      await removeDomain(tx, as, 'birch.example'),
    ]
  })
const NOTHING = [0, false, false, false, false, 0, 0, false]

async function expectWhole() {
  await scope({ customerId: birch }, async (tx) => {
    expect(await listProviders(tx, birch)).toMatchObject([{ offAt: null }])
    expect(await listDomains(tx, birch)).toMatchObject([{ provenBy: 'operator' }])
    expect(await memberOfSubject(tx, birch, { providerId, subject: 's' })).toMatchObject({ id: memberId })
    expect(await isSignOnOnly(tx, birch)).toBe(false)
  })
}

describe('the single sign-on of another customer', () => {
  it('is isolated by each statement by itself', async () => {
    await setRowSecurity('DISABLE')
    expect(await attempts(alder)).toEqual(NOTHING)
    await setRowSecurity('ENABLE')
    await expectWhole()
  })

  it('is isolated by row-level security by itself', async () => {
    expect(await attempts(birch)).toEqual(NOTHING)
    await expectWhole()
  })

  it('binds no subject to a member of another customer', async () => {
    const steal = scope({ customerId: alder }, (tx) =>
      bindSubject(tx, alder, { providerId, subject: 't', memberId }),
    )
    await expect(steal).rejects.toThrow()
  })

  it('keeps its secret unreadable in a customer’s scope', async () => {
    for (const customer of [alder, birch])
      await expect(
        database.sql(customer, 'SELECT client_secret FROM identity_providers'),
      ).rejects.toMatchObject({
        code: '42501',
      })
  })
})
