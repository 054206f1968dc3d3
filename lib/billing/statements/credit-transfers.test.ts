import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { saveIssuer } from '#lib/billing/parties/issuers.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { readStatement } from './operations.ts'

let database: TestDatabase
let southwind: Caller

const IBAN = 'DE02120300000000202051'
const EUR = { currency: 'EUR', issuer: 'Fernhill', totalAmount: '100.00', balanceAmount: '100.00' }

const statement = async (query: object = {}, by = southwind) =>
  (await readStatement(by, { params: {}, query, body: undefined }, { requestId: 'r' })).body

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example.com')
  database = await testDatabase({ today: '2026-11-20' })
  await addCustomer('southwind')
  await addProfile('southwind', 'emea')
  const owner = await callerOf('southwind', 'admin')
  await scope(owner, async (tx) => {
    for (const name of ['Fernhill', 'Fernhill Two'])
      await saveIssuer(tx, owner.customerId, { name, iban: IBAN, bic: 'BYLADEM1001' }, 'r')
  })
  await addInvoice('southwind', 'S-1', { ...EUR, dueDate: '2026-11-01', balanceAmount: '0.10' })
  await addInvoice('southwind', 'S-2', { ...EUR, dueDate: '2026-12-01', balanceAmount: '0.20' })
  await addInvoice('southwind', 'S-3', { ...EUR, totalAmount: '-50', balanceAmount: '-50' })
  await addInvoice('southwind', 'S-4', { ...EUR, currency: 'USD' })
  await addInvoice('southwind', 'S-5', { ...EUR, issuer: 'Fernhill Two' })
  await addInvoice('southwind', 'S-6', { ...EUR, issuer: 'Unknown' })
  await addInvoice('southwind', 'S-7', { ...EUR, billingProfileId: 'emea' })
  southwind = owner
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

describe('a statement', () => {
  it('has one credit transfer for each billing profile and payee in EUR, exactly added', async () => {
    const { creditTransfers } = await statement()
    expect(creditTransfers.map(({ epcQrCode: _, ...transfer }) => transfer)).toEqual([
      expect.objectContaining({
        billingProfileId: 'default',
        payee: 'Fernhill',
        amount: 0.3,
        count: 2,
        reference: 'S-1, S-2',
      }),
      expect.objectContaining({ billingProfileId: 'default', payee: 'Fernhill Two', amount: 100, count: 1 }),
      expect.objectContaining({ billingProfileId: 'emea', payee: 'Fernhill', amount: 100, reference: 'S-7' }),
    ])
    expect(creditTransfers[0]?.epcQrCode.split('\n').slice(5)).toEqual([
      'Fernhill',
      IBAN,
      'EUR0.30',
      '',
      '',
      'S-1, S-2',
    ])
  })

  it('omits the billing profiles whose items are not all on the page', async () => {
    const { creditTransfers, items } = await statement({ maxResults: 3 })
    expect([items.length, creditTransfers]).toEqual([3, []])
    const filter = { billingProfile: ['emea'] }
    expect((await statement({ filter, maxResults: 1 })).creditTransfers).toHaveLength(1)
  })

  it('has none of a billing profile that the caller may not see', async () => {
    const { creditTransfers } = await statement({}, { ...southwind, billingProfiles: ['emea'] })
    expect(creditTransfers.map(({ billingProfileId }) => billingProfileId)).toEqual(['emea'])
  })
})
