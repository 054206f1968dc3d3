import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { exportInvoiceFiles, readInvoiceFile } from '#lib/billing/invoice-files/operations.ts'
import { exportStatement, readStatement } from '#lib/billing/statements/operations.ts'
import { comparableInvoices, invoiceBefore } from '#lib/costs/comparisons/compared.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import {
  addCustomer,
  addInvoice,
  addKey,
  addMember,
  addProfile,
  callerOf,
} from '#lib/platform/db/test-rows.ts'
import type { Invoice, InvoiceWithLines } from './contract.ts'
import { exportInvoices, listInvoices, readInvoice, summarizeInvoices } from './operations.ts'

// Drafts and voided invoices are never owed, never in a sum, in a list only if it selects their state, and always found
// by their id.

const TODAY = '2026-11-20'
let database: TestDatabase
let fin: Caller
const keys = { finance: '', emea: '', it: '', eve: '' }

const OCTOBER = { invoiceDate: '2026-10-31', dueDate: '2026-11-30' }
const PERIOD = { billingAccount: '0925', periodStart: '2026-10-01', periodEnd: '2026-11-01' }

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example')
  database = await testDatabase({ today: TODAY })
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  fin = await callerOf('northwind', 'finance-user')
  const add = (id: string, overrides: Parameters<typeof addInvoice>[2], price = '10') =>
    addInvoice('northwind', id, { ...OCTOBER, ...overrides }, [{ price }])
  // The correction replaces the first invoice, and takes over its number.
  await add('IN-1~2', { number: 'IN-1', totalAmount: '90', balanceAmount: '90', ...PERIOD }, '90')
  await add('IN-1', { documentState: 'voided', replacedBy: 'IN-1~2', totalAmount: '100', balanceAmount: '0' })
  await add('CN-1', { corrects: 'IN-1', totalAmount: '-5', balanceAmount: '-5' }, '-5')
  await add('CN-VOID', { corrects: 'IN-1', documentState: 'voided', totalAmount: '-7', balanceAmount: '0' })
  await add('CN-LOST', { corrects: 'IN-0', totalAmount: '-3', balanceAmount: '0' }, '-3')
  // Another issuer with the same number, which is no business of the credit note's.
  await add('other:IN-1', { number: 'IN-1', issuer: 'Other', totalAmount: '7', balanceAmount: '7' }, '7')
  await add('DRAFT', {
    documentState: 'draft',
    form: 'summary',
    invoiceDate: '2026-11-30',
    dueDate: '2026-12-30',
    totalAmount: '55',
    balanceAmount: '0',
    currency: 'EUR',
  })
  await add('EMEA', { billingProfileId: 'emea', totalAmount: '20', balanceAmount: '20' }, '20')
  await add('DRAFT-OCT', {
    documentState: 'voided',
    replacedBy: 'EMEA',
    totalAmount: '8',
    balanceAmount: '0',
  })
  await add('CN-EMEA', { billingProfileId: 'emea', corrects: 'IN-1', totalAmount: '-1', balanceAmount: '0' })
  await addInvoice('southwind', 'CN-9', { corrects: 'IN-1', replacedBy: null })
  await addInvoice('southwind', 'IN-D', { documentState: 'draft', balanceAmount: '0' })
  keys.finance = await addKey('northwind', ['finance-user'])
  keys.it = await addKey('northwind', ['it-manager'])
  keys.eve = await addKey('southwind', ['finance-user'])
  const issuedBy = await addMember('northwind', { roles: ['finance-user'], billingProfiles: ['emea'] })
  keys.emea = await addKey('northwind', ['finance-user'], { issuedBy })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

type Operation = Parameters<typeof route>[0]
const request = (
  operation: Operation,
  search = '',
  params: Record<string, string> = {},
  key = keys.finance,
) =>
  route(operation).GET(
    new Request(`http://console.example${pathOf(operation, params)}?${search}`, {
      headers: { Authorization: `Bearer ${key}` },
    }),
  )
const pathOf = ({ contract }: Operation, params: Record<string, string>) =>
  contract.path.replace(/\{(\w+)\}/g, (_: string, name: string) => encodeURIComponent(params[name] ?? ''))
const list = async (search = '', key = keys.finance): Promise<Invoice[]> =>
  (await (await request(listInvoices, search, {}, key)).json()).invoices
const idsOf = async (search = '', key?: string) => (await list(search, key)).map(({ id }) => id)
const read = async (id: string, key = keys.finance): Promise<InvoiceWithLines> =>
  (await request(readInvoice, '', { invoice_id: id }, key)).json()
const bodyOf = async (operation: Operation, search = '') => (await request(operation, search)).text()

const ISSUED = ['other:IN-1', 'IN-1', 'EMEA', 'CN-LOST', 'CN-EMEA', 'CN-1']
const VOIDED = ['IN-1~1', 'DRAFT-OCT~1', 'CN-VOID~1']
/** In the order of their keys, of which the correction’s is that with a count. */
const BOTH = [
  'other:IN-1',
  'IN-1',
  'IN-1~1',
  'EMEA',
  'DRAFT-OCT~1',
  'CN-VOID~1',
  'CN-LOST',
  'CN-EMEA',
  'CN-1',
]

describe('filter=state', () => {
  it.each([
    ['', ISSUED],
    ['filter=state:issued', ISSUED],
    ['filter=state:draft', ['DRAFT']],
    ['filter=state:Voided', VOIDED],
    ['filter=state:draft|voided', ['DRAFT', ...VOIDED]],
    ['filter=state:draft|issued|voided', ['DRAFT', ...BOTH]],
    // Only issued invoices have a status.
    ['filter=status:PAID|state:draft|voided', []],
    ['filter=status:OPEN|state:draft', []],
    ['filter=status:PAID|state:draft|voided|issued', ['CN-LOST', 'CN-EMEA', 'CN-1']],
    ['filter=issuer:Other', ['other:IN-1']],
    ['filter=issuer:Other|Reseller|billingProfile:emea', ['EMEA', 'CN-EMEA']],
    ['filter=currency:EUR', []],
    ['filter=currency:EUR|state:draft', ['DRAFT']],
    ['filter=billingProfile:none', []],
    ['search=in-1', ['other:IN-1', 'IN-1']],
    ['search=other%3A', ['other:IN-1']],
    ['search=in-1&filter=state:voided', ['IN-1~1']],
  ])('%j selects the same invoices everywhere', async (search, expected) => {
    expect(await idsOf(search)).toEqual(expected)
    const summary = JSON.parse(await bodyOf(summarizeInvoices, search))
    expect(summary.count).toBe(expected.length)
    const csv = await bodyOf(exportInvoices, search)
    expect(
      csv
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual(expected)
    expect((await request(exportInvoiceFiles, search)).status).toBe(expected.length > 0 ? 200 : 404)
  })

  it('accepts a closed set of values, which the error lists', async () => {
    const answer = await request(listInvoices, 'filter=state:paid')
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({
        code: 'filter_invalid',
        detail: expect.stringContaining('draft, issued, voided'),
      }),
    ])
  })

  it('adds up drafts, of which nothing is due', async () => {
    const { currencies } = JSON.parse(await bodyOf(summarizeInvoices, 'filter=state:draft|voided'))
    const nothing = { count: 0, amount: 0 }
    for (const one of currencies)
      expect(one).toMatchObject({
        balanceAmount: 0,
        outstanding: nothing,
        credit: nothing,
        dueIn30Days: nothing,
      })
    expect(currencies.map((one: { totalAmount: number }) => one.totalAmount).sort()).toEqual([101, 55])
  })

  it('shows no other customer’s invoices', async () => {
    expect(await idsOf('filter=state:draft|voided', keys.eve)).toEqual(['IN-D'])
    expect(await idsOf('filter=state:draft|voided', keys.emea)).toEqual([])
    expect((await request(listInvoices, 'filter=state:draft', {}, keys.it)).status).toBe(403)
  })
})

describe('Drafts and voided invoices', () => {
  it.each(['DRAFT', 'IN-1~1'])('%s can be read by id, as a single file and in an archive', async (id) => {
    const invoice = await read(id)
    expect(invoice).toMatchObject({ id, balanceAmount: 0, lineItems: [expect.anything()] })
    expect(invoice).not.toHaveProperty('status')
    expect((await request(readInvoiceFile, '', { invoice_id: id })).status).toBe(200)
    expect((await request(exportInvoiceFiles, `ids=${id}`)).status).toBe(200)
    for (const key of [keys.eve, keys.emea])
      expect((await request(readInvoice, '', { invoice_id: id }, key)).status).toBe(404)
  })

  it('are in no account statement', async () => {
    const { items, count } = JSON.parse(await bodyOf(readStatement))
    expect(items.map(({ id }: Invoice) => id).sort()).toEqual(['EMEA', 'IN-1', 'other:IN-1'])
    // Nothing is left of CN-1: it is set off.
    expect(count).toBe(3)
    expect(await bodyOf(exportStatement)).not.toMatch(/DRAFT|CN-VOID/)
  })

  it('are compared only if the request contains their id', async () => {
    const choices = async (id: string) => (await comparableInvoices(fin, id)).map((each) => each.id)
    expect(await choices('EMEA')).toEqual(ISSUED)
    expect((await choices('IN-1~1')).sort()).toEqual([...ISSUED, 'IN-1~1'].sort())
    const overrides = { platform: 'own-slug', balanceAmount: '0' }
    await addInvoice('northwind', 'B-1', { ...overrides, invoiceDate: '2026-08-01', dueDate: '2026-08-01' })
    const september = { ...overrides, invoiceDate: '2026-09-01', dueDate: '2026-09-01' }
    await addInvoice('northwind', 'B-2', { ...september, documentState: 'draft' })
    await addInvoice('northwind', 'B-3', { ...overrides, invoiceDate: '2026-10-01', dueDate: '2026-10-01' })
    expect(await invoiceBefore(fin, 'B-3')).toBe('B-1')
    expect(await invoiceBefore(fin, 'B-2')).toBe('B-1')
  })
})

describe('The link to a corrected or replaced invoice', () => {
  const linksOf = async (id: string, key?: string) => {
    const { corrects, correctedBy, replaces, replacedBy } = await read(id, key)
    return { corrects, correctedBy, replaces, replacedBy }
  }

  it('is on both invoices', async () => {
    expect(await linksOf('CN-1')).toEqual({
      corrects: { number: 'IN-1', id: 'IN-1', setOffAmount: 5 },
      correctedBy: [],
    })
    expect(await linksOf('IN-1')).toEqual({
      correctedBy: [
        { id: 'CN-1', number: 'CN-1', setOffAmount: 5 },
        { id: 'CN-EMEA', number: 'CN-EMEA' },
      ],
      replaces: 'IN-1~1',
    })
    expect(await linksOf('IN-1~1')).toEqual({ correctedBy: [], replacedBy: 'IN-1' })
    expect(await linksOf('other:IN-1')).toEqual({ correctedBy: [] })
  })

  it('has no id if the invoice is not stored', async () => {
    expect(await linksOf('CN-LOST')).toEqual({ corrects: { number: 'IN-0' }, correctedBy: [] })
  })

  it('is on both if an issuer voids an invoice and replaces it under another number', async () => {
    await addInvoice('southwind', 'IN-2', { documentState: 'voided', balanceAmount: '0' })
    await addInvoice('southwind', 'IN-3', { corrects: 'IN-2' })
    expect(await linksOf('IN-2', keys.eve)).toEqual({ correctedBy: [{ id: 'IN-3', number: 'IN-3' }] })
    expect(await linksOf('IN-3', keys.eve)).toEqual({
      corrects: { number: 'IN-2', id: 'IN-2~1' },
      correctedBy: [],
    })
  })

  it('is hidden from a caller without access to the invoice’s billing profile', async () => {
    expect(await linksOf('CN-EMEA', keys.emea)).toEqual({ corrects: { number: 'IN-1' }, correctedBy: [] })
    expect(await linksOf('EMEA', keys.emea)).toEqual({ correctedBy: [] })
    expect(await linksOf('EMEA')).toEqual({ correctedBy: [], replaces: 'DRAFT-OCT~1' })
  })

  it('comes with form, account and period, whose end is exclusive', async () => {
    expect(await read('IN-1~2')).toMatchObject({
      number: 'IN-1',
      issuer: 'Reseller',
      documentState: 'issued',
      form: 'invoice',
      billingAccount: '0925',
      periodStart: Date.UTC(2026, 9, 1),
      periodEnd: Date.UTC(2026, 10, 1),
    })
    expect(await read('DRAFT')).toMatchObject({ form: 'summary', documentState: 'draft' })
  })

  it('follows the older columns of both CSV files, with the last day of the period', async () => {
    for (const search of ['', '&lines=true']) {
      const csv = await bodyOf(exportInvoices, `search=IN-1~${search}`)
      expect(csv.trim()).toMatch(
        /number,documentState,corrects,billingAccount,periodStart,periodLastDay,typeCode,/,
      )
      expect(csv.trim()).toMatch(/IN-1,issued,,0925,2026-10-01,2026-10-31,{9}(,85\.00|,{19})$/)
    }
    expect(await bodyOf(exportInvoices, 'search=CN-1')).toMatch(/CN-1,issued,IN-1,,,,{9},0\.00\r\n$/)
    expect(await bodyOf(exportInvoices, 'filter=state:draft|currency:EUR')).toMatch(
      /cloud-platform,,EUR.*DRAFT,draft,,,,,{9},0\.00\r\n$/,
    )
  })
})
