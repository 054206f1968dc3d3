import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readInvoice } from '#lib/billing/invoices/operations.ts'
import { saveIssuer } from '#lib/billing/parties/issuers.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'

let database: TestDatabase
let caller: Caller

const IBAN = 'DE02120300000000202051'
const EUR = { currency: 'EUR', issuer: 'Fernhill', totalAmount: '100.00', balanceAmount: '100.00' }

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example.com')
  database = await testDatabase({ today: '2026-11-20' })
  await addCustomer('northwind')
  await addProfile('northwind', 'emea')
  caller = await callerOf('northwind', 'admin')
  await set('Fernhill', {
    iban: IBAN,
    bic: 'BYLADEM1001',
    paymentUrl: 'https://pay.example/{number}?a={amount}',
  })
  await set('Other', { account: 'Account 1, routing 2' })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

const set = (name: string, details: object) =>
  scope(caller, (tx) => saveIssuer(tx, caller.customerId, { name, ...details }, 'r'))

const instructionsOf = async (id: string, by = caller) => {
  const input = { params: { invoice_id: id }, query: {}, body: undefined }
  return (await readInvoice(by, input, { requestId: 'r' })).body.paymentInstructions
}

describe('an invoice', () => {
  it('that is open in EUR has payment instructions, with the open balance', async () => {
    await addInvoice('northwind', 'P-1', { ...EUR, balanceAmount: '60.10' })
    expect(await instructionsOf('P-1')).toEqual({
      payee: 'Fernhill',
      amount: 60.1,
      currency: 'EUR',
      reference: 'P-1',
      iban: IBAN,
      bic: 'BYLADEM1001',
      epcQrCode: `BCD\n002\n1\nSCT\nBYLADEM1001\nFernhill\n${IBAN}\nEUR60.10\n\n\nP-1`,
      paymentUrl: 'https://pay.example/P-1?a=60.10',
    })
  })

  it('that a credit note corrects is paid less the credit', async () => {
    await addInvoice('northwind', 'P-2', EUR)
    await addInvoice('northwind', 'P-2C', {
      ...EUR,
      totalAmount: '-30',
      balanceAmount: '-30',
      corrects: 'P-2',
    })
    expect(await instructionsOf('P-2')).toMatchObject({
      amount: 70,
      paymentUrl: expect.stringContaining('a=70.00'),
    })
    expect(await instructionsOf('P-2C')).toBeUndefined()
  })

  it.each([
    ['a draft', { documentState: 'draft', balanceAmount: '0' }],
    ['voided', { documentState: 'voided', balanceAmount: '0' }],
    ['paid', { balanceAmount: '0' }],
    ['paid up to half a cent', { balanceAmount: '0.004' }],
    ['overpaid', { balanceAmount: '-5' }],
    ['a credit note', { totalAmount: '-100', balanceAmount: '-100' }],
    ['a credit note with a balance to pay', { totalAmount: '-100', balanceAmount: '5' }],
    ['a summary of charges', { form: 'summary' }],
    ['of an issuer without an account', { issuer: 'Unknown' }],
  ] as const)('that is %s does not', async (name, values) => {
    const id = `N-${name.replaceAll(' ', '-')}`
    await addInvoice('northwind', id, { ...EUR, ...values })
    expect(await instructionsOf(id)).toBeUndefined()
  })

  it('in another currency has no EPC QR code, and its own amount in its payment address', async () => {
    await addInvoice('northwind', 'P-JPY', {
      ...EUR,
      currency: 'JPY',
      totalAmount: '1200',
      balanceAmount: '1200',
    })
    const { epcQrCode, ...instructions } = (await instructionsOf('P-JPY')) ?? {}
    expect(epcQrCode).toBeUndefined()
    expect(instructions).toMatchObject({
      currency: 'JPY',
      amount: 1200,
      paymentUrl: 'https://pay.example/P-JPY?a=1200',
    })
  })

  it('is paid to the account that it was issued with, after the issuer has another one', async () => {
    await addInvoice('northwind', 'P-OLD', EUR)
    await set('Fernhill', { iban: 'NL61FERN0000771440', paymentUrl: null })
    await addInvoice('northwind', 'P-NEW', EUR)
    expect(await instructionsOf('P-OLD')).toMatchObject({ iban: IBAN })
    const { iban, paymentUrl } = (await instructionsOf('P-NEW')) ?? {}
    expect([iban, paymentUrl]).toEqual(['NL61FERN0000771440', undefined])
    await set('Fernhill', { iban: IBAN })
  })

  it('at a bank without IBAN names the account', async () => {
    await addInvoice('northwind', 'P-USD', { ...EUR, issuer: 'Other', currency: 'USD' })
    expect(await instructionsOf('P-USD')).toEqual({
      payee: 'Other',
      amount: 100,
      currency: 'USD',
      reference: 'P-USD',
      account: 'Account 1, routing 2',
    })
  })
})
