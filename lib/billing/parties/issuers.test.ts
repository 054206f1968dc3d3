import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issuerSpellings } from '#lib/imports/focus/issuer-spellings.ts'
import { importInvoices } from '#lib/imports/invoices/import.ts'
import type { NewInvoice } from '#lib/imports/schemas.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { type IssuerDetails, issuerKey, listIssuers, NO_DETAILS, saveIssuer } from './issuers.ts'

describe('issuers', () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await testDatabase()
    for (const id of ['northwind', 'southwind']) await addCustomer(id)
  })
  afterAll(() => db.close())

  const northwind = newCustomerId('northwind')
  const invoice = (id: string, issuer: string, issuerDetails?: Partial<IssuerDetails>): NewInvoice => ({
    number: id,
    issuer,
    platform: 'web-services',
    currency: 'USD',
    totalAmount: '10',
    invoiceDate: '2026-09-30',
    dueDate: '2026-10-30',
    lines: [{ type: 'web-services', description: 'Compute', price: '10', qty: '1' }],
    ...(issuerDetails ? { issuerDetails } : {}),
  })
  const run = (invoices: NewInvoice[], correct = false) =>
    scope({ customerId: northwind }, (tx) => importInvoices(tx, northwind, invoices, { correct }))
  const known = async (name: string) =>
    (await scope({ customerId: northwind }, (tx) => listIssuers(tx, northwind))).find(
      (one) => one.name === name,
    )
  const history = (subject: string) =>
    db.sql('northwind', "SELECT action FROM audit_events WHERE subject = $1 AND action = 'issuer.set'", [
      subject,
    ])

  const BANK = { iban: 'DE02120300000000202051', bic: 'BYLADEM1001' }

  describe('what an import says of an issuer', () => {
    test('is kept, and the same again changes nothing', async () => {
      await run([invoice('A-1', 'Alpha', BANK), invoice('A-2', 'Alpha', BANK), invoice('A-3', 'Alpha')])
      expect(await known('Alpha')).toEqual({ name: 'Alpha', ...NO_DETAILS, ...BANK })
      expect(await run([invoice('A-1', 'Alpha', BANK)])).toMatchObject({ unchanged: 1 })
      expect(await history('Alpha')).toHaveLength(1)
    })

    test('fills in what was not known, and leaves what it does not name', async () => {
      await run([invoice('B-1', 'Beta', BANK)])
      await run([invoice('B-2', 'Beta', { address: 'Kai 1\nZurich', bic: BANK.bic })])
      expect(await known('Beta')).toMatchObject({ ...BANK, address: 'Kai 1\nZurich' })
      expect(await history('Beta')).toHaveLength(2)
    })

    test('is refused where it differs, whole, and written over with replace', async () => {
      await run([invoice('C-1', 'Gamma', BANK)])
      const other = invoice('C-2', 'Gamma', { iban: 'GB33BUKB20201555555555', bic: null })
      await expect(run([other])).rejects.toThrow(
        'issuer Gamma, iban: stored DE02120300000000202051, given GB33BUKB20201555555555',
      )
      expect(await known('Gamma')).toMatchObject(BANK)
      expect(await db.sql('northwind', "SELECT id FROM invoices WHERE id = 'C-2'")).toEqual([])
      await run([other], true)
      expect(await known('Gamma')).toMatchObject({ iban: 'GB33BUKB20201555555555', bic: null })
    })

    test('is refused where one file says two things', async () => {
      const two = [invoice('D-1', 'Delta', BANK), invoice('D-2', 'Delta', { bic: 'DEUTDEFF' })]
      await expect(run(two)).rejects.toThrow('issuer Delta, bic: stored BYLADEM1001, given DEUTDEFF')
      expect(await known('Delta')).toBeUndefined()
    })
  })

  test('an invoice of the same import is frozen with what that says, and a later edit leaves it', async () => {
    const seller = (id: string) =>
      db.sql(
        'northwind',
        'SELECT p.content FROM invoices i JOIN parties p ON p.id = i.seller_id WHERE i.id = $1',
        [id],
      )
    await run([invoice('E-1', 'Epsilon', BANK), invoice('E-2', 'Epsilon')])
    await scope({ customerId: northwind }, (tx) =>
      saveIssuer(tx, northwind, { name: 'Epsilon', iban: 'CH9300762011623852957' }, 'test'),
    )
    await run([invoice('E-3', 'Epsilon')])
    for (const [id, iban] of [
      ['E-1', BANK.iban],
      ['E-2', BANK.iban],
      ['E-3', 'CH9300762011623852957'],
    ] as const)
      expect(await seller(id)).toEqual([{ content: { name: 'Epsilon', ...BANK, iban } }])
  })

  test('two who set the same issuer at once leave it whole', async () => {
    const set = (details: Partial<IssuerDetails>) =>
      scope({ customerId: northwind }, (tx) =>
        saveIssuer(tx, northwind, { name: 'Zeta', ...details }, 'test'),
      )
    await Promise.all([set({ bank: 'Bank' }), set({ terms: '30 days' }), set(BANK)])
    expect(await known('Zeta')).toEqual({
      name: 'Zeta',
      ...NO_DETAILS,
      ...BANK,
      bank: 'Bank',
      terms: '30 days',
    })
  })
})

describe('issuer name', () => {
  describe('two names are of one issuer', () => {
    test.each([
      ['Microsoft', 'MICROSOFT'],
      ['Acme Ltd', 'Acme  Ltd'],
      ['Acme Ltd', 'acme\u00a0ltd.'],
      ['Acme Ltd', 'ACME, Limited'],
      ['Acme Ltd', 'Ａｃｍｅ Ｌｔｄ'],
      ['Café Société', 'Cafe\u0301 Socie\u0301te\u0301'],
      ['Amazon Web Services, Inc.', 'Amazon Web Services Incorporated'],
      ['Straße GmbH', 'STRASSE G.m.b.H.'],
      ['Straße GmbH', 'Strasse Gesellschaft mit beschränkter Haftung'],
      ['Banque S.à r.l.', 'BANQUE SARL'],
      ["O'Neil & Sons", 'O’Neil Sons'],
      ['Acme\u200b Ltd', 'Acme Ltd'],
      ['Acme Pty. Ltd.', 'Acme Proprietary Limited'],
      ['ΟΔΟΣ', 'οδος'],
    ])('%j and %j', (one, other) => {
      expect(issuerKey(one)).toBe(issuerKey(other))
    })
  })

  describe('two names are of two issuers', () => {
    test.each([
      ['Acme Ltd', 'Acme GmbH'],
      ['Acme Ltd', 'Acme Inc.'],
      ['Acme Ltd', 'Acme'],
      ['Acme LLC', 'Acme Ltd'],
      ['Acme Limited Liability Company', 'Acme Limited'],
      ['Acme plc', 'Acme Ltd'],
      ['Amazon Web Services, Inc.', 'Amazon Web Services EMEA SARL'],
      ['Acme 1', 'Acme 2'],
      ['Müller', 'Muller'],
      ['A+', 'A'],
      ['--', '…'],
    ])('%j and %j', (one, other) => {
      expect(issuerKey(one)).not.toBe(issuerKey(other))
    })
  })

  test('of several spellings the same one stands for all, whatever their order', () => {
    const names = ['MICROSOFT', 'Microsoft', 'microsoft', 'Other']
    for (const order of [names, names.toReversed()]) {
      const spellings = issuerSpellings()
      for (const name of order) spellings.see(name)
      expect(spellings.nameOf(issuerKey('microsoft'))).toBe('MICROSOFT')
      expect(spellings.nameOf(spellings.see('Other'))).toBe('Other')
    }
  })
})
