import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setBillingProfile } from '#lib/identity/customers/billing-profiles.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { saveIssuer } from './issuers.ts'
import { freezeParties } from './store.ts'

let db: TestDatabase
const [northwind, southwind] = ['northwind', 'southwind'].map((id) => newCustomerId(id)) as [
  ReturnType<typeof newCustomerId>,
  ReturnType<typeof newCustomerId>,
]
beforeAll(async () => {
  db = await testDatabase()
  for (const id of [northwind, southwind]) await addCustomer(id)
  await addProfile(northwind, 'emea')
})
afterAll(() => db.close())

const as = <T>(fn: (tx: Parameters<Parameters<typeof scope<T>>[1]>[0]) => Promise<T>, id = northwind) =>
  scope({ customerId: id }, fn)
const freeze = (issuer: string, billingProfileId = 'default', id = northwind) =>
  as(
    async (tx) => (await freezeParties(tx, id, [{ issuer, billingProfileId }]))({ issuer, billingProfileId }),
    id,
  )
const contentOf = async (id: string, customer: string = northwind) =>
  (await db.sql(customer, 'SELECT content FROM parties WHERE id = $1', [id]))[0]?.content

describe('Parties', () => {
  test('contain the known settings', async () => {
    const bank = { iban: 'CH9300762011623852957', bic: 'KAIACHZZ', terms: '30 days' }
    const place = { address: 'Kai 1\nHof', postcode: '8001', city: 'Zurich', country: 'CH' }
    const known = { ...place, ...bank, taxId: 'CHE-1', registration: 'CH-020', bank: 'Bank', account: '7' }
    await as((tx) => saveIssuer(tx, northwind, { name: 'Alpha', ...known }, 'test'))
    await as((tx) => setBillingProfile(tx, northwind, { id: 'emea', name: 'EMEA', ...place, taxId: 'X' }))
    const { sellerId, buyerId } = await freeze('Alpha', 'emea')
    expect(await contentOf(sellerId)).toEqual({ name: 'Alpha', ...known })
    expect(await contentOf(buyerId)).toEqual({ name: 'EMEA', ...place, taxId: 'X' })
    expect(await contentOf((await freeze('Nobody')).sellerId)).toEqual({ name: 'Nobody' })
  })

  test('share a row for equal content, and get another row after an edit', async () => {
    const first = await freeze('Beta')
    const count = () => db.sql(northwind, 'SELECT count(*)::int AS count FROM parties')
    const before = await count()
    expect(await freeze('Beta')).toEqual(first)
    expect(await count()).toEqual(before)
    await as((tx) => saveIssuer(tx, northwind, { name: 'Beta', bank: 'Bank' }, 'test'))
    const second = await freeze('Beta')
    expect([second.buyerId, second.sellerId === first.sellerId]).toEqual([first.buyerId, false])
    expect(await contentOf(first.sellerId)).toEqual({ name: 'Beta' })
    await as((tx) => saveIssuer(tx, northwind, { name: 'Beta', bank: null }, 'test'))
    expect(await freeze('Beta')).toEqual(first)
  })

  test('are frozen for a batch, per invoice, with the settings of the transaction', async () => {
    const batch = ['Gamma', 'Delta', 'Gamma'].flatMap((issuer) =>
      ['default', 'emea'].map((billingProfileId) => ({ issuer, billingProfileId })),
    )
    const frozen = await as(async (tx) => {
      await saveIssuer(tx, northwind, { name: 'Gamma', city: 'Bern' }, 'test')
      return batch.map(await freezeParties(tx, northwind, batch))
    })
    for (const [index, { sellerId, buyerId }] of frozen.entries()) {
      const { issuer, billingProfileId } = batch[index] ?? { issuer: '', billingProfileId: '' }
      expect(await contentOf(sellerId)).toEqual(
        issuer === 'Gamma' ? { name: issuer, city: 'Bern' } : { name: issuer },
      )
      expect(await contentOf(buyerId)).toMatchObject({
        name: billingProfileId === 'emea' ? 'EMEA' : northwind,
      })
    }
  })

  test('are separate for each customer', async () => {
    await as((tx) => saveIssuer(tx, northwind, { name: 'Epsilon', bank: 'Bank' }, 'test'))
    const { sellerId } = await freeze('Epsilon', 'default', southwind)
    expect(await contentOf(sellerId, southwind)).toEqual({ name: 'Epsilon' })
    expect(await contentOf(sellerId)).toBeUndefined()
    await expect(freeze('Epsilon', 'emea', southwind)).rejects.toThrow('Parties are frozen for')
  })

  test('share one row after parallel freezes', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => freeze('Zeta')))
    expect(new Set(ids.map(({ sellerId }) => sellerId)).size).toBe(1)
  })
})
