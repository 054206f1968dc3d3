import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { setAsset, setProfile } from '#lib/billing/posting-details/store.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import type { ImportError } from '../import-error.ts'
import { importInvoices } from '../invoices/import.ts'
import { readInvoices } from '../json/invoices.ts'
import type { NewInvoice } from '../schemas.ts'
import { undoImport } from '../undo.ts'

let db: TestDatabase
let customer: string
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  customer = await addNewCustomer()
})

const LINE = { description: 'Business Plus', price: '12.50', qty: '40' }
const INVOICE = {
  ...{ id: 'INV-1', platform: 'workspace-suite', issuer: 'Reseller', currency: 'EUR' },
  ...{ invoiceDate: '2026-09-30', dueDate: '2026-10-30', totalAmount: '595.00' },
}
const TAXED = { ...LINE, taxCategory: 'S', taxRate: 19, taxAmount: 95, netAmount: '500.00' }
const LINE_POSTING = {
  ...{ periodStart: '2026-09-01', periodEnd: '2026-10-01', billingAccount: 'A-1', subAccount: 'berlin' },
  ...{ unit: 'MON', purchaseOrder: 'PO-7', costCenter: '4711' },
}
const INVOICE_POSTING = {
  ...{ typeCode: '380', purchaseOrder: 'PO-1', buyerReference: 'B-1', costCenter: '4000' },
  ...{ paymentTerms: '30 days net', netAmount: 500, taxAmount: '95.00' },
  taxBreakdown: [{ taxCategory: 'S', taxRate: '19', taxableAmount: '500', taxAmount: 95 }],
}

async function read(objects: object[]): Promise<NewInvoice[]> {
  const text = (async function* () {
    yield JSON.stringify(objects)
  })()
  return Array.fromAsync(readInvoices([{ name: '', text }]))
}
type Options = { correct?: boolean; importId?: string }
async function run(objects: object[], options: Options = {}) {
  const invoices = await read(objects)
  const customerId = newCustomerId(customer)
  return scope({ customerId }, async (tx) => {
    if (options.importId)
      await tx.execute(
        `INSERT INTO imports (customer_id, id, kind, files, report, created_at)
         VALUES ('${customer}', '${options.importId}', 'invoices', '[]', '{}', clock_timestamp())`,
      )
    return importInvoices(tx, customerId, invoices, options)
  })
}
const storedPostings = () =>
  db.sql(
    customer,
    `SELECT type_code, net_amount, tax_amount, tax_breakdown, purchase_order, buyer_reference, cost_center,
       payment_terms, carried FROM invoices WHERE document_state <> 'voided' ORDER BY id`,
  )
const lines = () =>
  db.sql(
    customer,
    `SELECT net_amount, tax_category, tax_rate, tax_amount, period_start::text, period_end::text, billing_account,
       sub_account, unit, purchase_order, cost_center, carried FROM line_items l
     WHERE EXISTS (SELECT FROM invoices i WHERE i.id = l.invoice_id AND i.customer_id = l.customer_id
       AND i.document_state <> 'voided') ORDER BY invoice_id, position`,
  )
const NOTHING = {
  ...{ type_code: null, net_amount: null, tax_amount: null, tax_breakdown: null, purchase_order: null },
  ...{ buyer_reference: null, cost_center: null, payment_terms: null, carried: null },
}
const set = (
  work: (tx: Parameters<typeof setProfile>[0], id: ReturnType<typeof newCustomerId>) => Promise<void>,
) => scope({ customerId: newCustomerId(customer) }, (tx) => work(tx, newCustomerId(customer)))

describe('posting details in a file', () => {
  test('are stored to the last digit', async () => {
    await run([{ ...INVOICE, ...INVOICE_POSTING, lines: [{ ...TAXED, ...LINE_POSTING }] }])
    expect(await storedPostings()).toEqual([
      {
        ...{ type_code: '380', net_amount: '500', tax_amount: '95', purchase_order: 'PO-1' },
        ...{ buyer_reference: 'B-1', cost_center: '4000', payment_terms: '30 days net', carried: null },
        tax_breakdown: [{ category: 'S', rate: '19', taxableAmount: '500', taxAmount: '95' }],
      },
    ])
    expect(await lines()).toEqual([
      {
        ...{ net_amount: '500', tax_category: 'S', tax_rate: '19', tax_amount: '95', unit: 'MON' },
        ...{ period_start: '2026-09-01', period_end: '2026-10-01', billing_account: 'A-1' },
        ...{ sub_account: 'berlin', purchase_order: 'PO-7', cost_center: '4711', carried: null },
      },
    ])
  })

  test('are null where the file has none', async () => {
    await run([{ ...INVOICE, totalAmount: 500, lines: [LINE] }])
    expect(await storedPostings()).toEqual([NOTHING])
    expect(new Set(Object.values((await lines())[0] ?? {}))).toEqual(new Set([null]))
  })

  test('supply net and tax of the invoice, where its lines have them', async () => {
    await run([{ ...INVOICE, lines: [TAXED] }])
    expect(await storedPostings()).toEqual([{ ...NOTHING, net_amount: '500', tax_amount: '95' }])
  })

  test('gives net and tax of gross lines as they are within them, and marks them as calculated', async () => {
    const calculated = () =>
      db.sql(customer, 'SELECT net_amount, tax_amount, is_tax_calculated AS ours FROM invoices ORDER BY id')
    const gross = {
      ...INVOICE,
      totalAmount: 119,
      lines: [{ ...LINE, price: '119', qty: 1, taxCategory: 'S', taxRate: 19 }],
    }
    await run([gross])
    expect(await calculated()).toEqual([{ net_amount: '100', tax_amount: '19', ours: true }])
    // The issuer's later figures are no difference from those calculated here.
    expect(await run([{ ...gross, netAmount: '99.99', taxAmount: '19.01' }])).toMatchObject({ moved: 1 })
    expect(await calculated()).toEqual([{ net_amount: '99.99', tax_amount: '19.01', ours: null }])
    expect(await run([gross])).toMatchObject({ unchanged: 1 })
    // Lines that add up to neither the total nor the net amount yield no tax of the invoice.
    await run([{ ...gross, id: 'ODD', totalAmount: 130 }])
    expect((await calculated()).filter(({ net_amount }) => net_amount === null)).toHaveLength(1)
  })

  test('may come later, for an invoice that is there, and be undone', async () => {
    await run([{ ...INVOICE, lines: [LINE] }])
    const before = [await storedPostings(), await lines()]
    const posted = { ...INVOICE, ...INVOICE_POSTING, lines: [{ ...TAXED, ...LINE_POSTING }] }
    expect(await run([posted], { importId: 'later' })).toMatchObject({ moved: 1 })
    expect(await run([posted])).toMatchObject({ unchanged: 1 })
    expect(await run([{ ...INVOICE, lines: [LINE] }])).toMatchObject({ unchanged: 1 })
    expect(await lines()).toEqual([expect.objectContaining({ unit: 'MON', tax_rate: '19' })])
    await scope({ customerId: newCustomerId(customer) }, (tx) =>
      undoImport(tx, newCustomerId(customer), 'later'),
    )
    expect([await storedPostings(), await lines()]).toEqual(before)
  })

  test('is a difference where the file contradicts the stored value', async () => {
    await run([{ ...INVOICE, ...INVOICE_POSTING, lines: [{ ...TAXED, ...LINE_POSTING }] }])
    const other = {
      ...INVOICE,
      typeCode: '384',
      taxAmount: '95.0',
      lines: [{ ...LINE, taxRate: '7', unit: 'H87' }],
    }
    const error = (await run([other]).catch((error: unknown) => error)) as ImportError
    expect(error.problems.map(({ column, reason }) => [column, reason])).toEqual([
      ['typeCode', 'stored 380, given 384'],
      ['lines[0].taxRate', 'stored 19, given 7'],
      ['lines[0].unit', 'stored MON, given H87'],
    ])
    expect(await run([other], { correct: true })).toMatchObject({ corrected: 1 })
    expect(await storedPostings()).toEqual([
      expect.objectContaining({ type_code: '384', tax_breakdown: null }),
    ])
  })

  test.each([
    [{ typeCode: '999' }, 'typeCode', '"999" is no code of UNCL 1001, such as 380, 381 or 384'],
    [{ lines: [{ ...LINE, taxCategory: 's' }] }, 'lines[0].taxCategory', '"s" is no code of UNCL 5305'],
    [{ lines: [LINE, { ...LINE, unit: 'licenses' }] }, 'lines[1].unit', '"licenses" is no code of UN/ECE'],
    [{ lines: [{ ...LINE, taxRate: -1 }] }, 'lines[0].taxRate', 'is below zero'],
    [{ lines: [{ ...LINE, periodStart: '2026-09-01' }] }, 'lines[0].periodEnd', 'come together'],
    [
      { taxBreakdown: [{ taxCategory: 'X', taxableAmount: 1, taxAmount: 0 }] },
      'taxBreakdown[0].taxCategory',
      'is no code of UNCL 5305',
    ],
    [{ taxAmount: 'x' }, 'taxAmount', '"x" is not a number'],
    [{ purchaseOrder: 'x'.repeat(101) }, 'purchaseOrder', 'has 101 characters, and at most 100 are kept'],
  ])('is refused by place where it cannot be: %j', async (change, column, reason) => {
    const error = await read([{ ...INVOICE, lines: [LINE], ...change }]).catch((error: unknown) => error)
    expect((error as ImportError).problems).toEqual([
      expect.objectContaining({ line: 1, column, reason: expect.stringContaining(reason) }),
    ])
  })
})

describe('a value that the customer has set', () => {
  const details = { purchaseOrder: 'PO-9', buyerReference: null, costCenter: '4900' }

  test('is carried onto later invoices, where the issuer sends none', async () => {
    await addProfile(customer, 'emea')
    await run([{ ...INVOICE, id: 'A', lines: [LINE] }])
    await set((tx, id) => setProfile(tx, id, 'default', details))
    await run([
      { ...INVOICE, id: 'B', lines: [LINE] },
      { ...INVOICE, id: 'C', costCenter: '1', lines: [LINE] },
      { ...INVOICE, id: 'D', billingProfileId: 'emea', lines: [LINE] },
    ])
    const carried = { ...NOTHING, purchase_order: 'PO-9', cost_center: '4900' }
    expect(await storedPostings()).toEqual([
      NOTHING,
      { ...carried, carried: ['purchaseOrder', 'costCenter'] },
      { ...carried, cost_center: '1', carried: ['purchaseOrder'] },
      NOTHING,
    ])
  })

  test("keeps its value as of arrival, and yields to the issuer's later value", async () => {
    await set((tx, id) => setProfile(tx, id, 'default', details))
    await run([{ ...INVOICE, lines: [LINE] }])
    await set((tx, id) => setProfile(tx, id, 'default', { ...details, costCenter: '5000' }))
    expect(await run([{ ...INVOICE, lines: [LINE] }])).toMatchObject({ unchanged: 1 })
    expect(await run([{ ...INVOICE, balanceAmount: '1', lines: [LINE] }])).toMatchObject({ moved: 1 })
    expect(await storedPostings()).toEqual([
      expect.objectContaining({ cost_center: '4900', carried: ['purchaseOrder', 'costCenter'] }),
    ])
    expect(await run([{ ...INVOICE, purchaseOrder: 'PO-1', lines: [LINE] }])).toMatchObject({ moved: 1 })
    expect(await storedPostings()).toEqual([
      expect.objectContaining({ purchase_order: 'PO-1', cost_center: '4900', carried: ['costCenter'] }),
    ])
  })

  test('of an asset is carried onto the lines that bill it', async () => {
    await addAsset(customer, 'workspace-suite-1', { purchased: 1 }, { name: 'Business Plus' })
    await addAsset(customer, 'workspace-suite-2', { purchased: 1 }, { name: 'Archive', skuName: 'Archive' })
    await set((tx, id) => setAsset(tx, id, 'workspace-suite-1', { purchaseOrder: null, costCenter: '6120' }))
    await run([
      { ...INVOICE, lines: [LINE, { ...LINE, description: 'Archive' }, { ...LINE, costCenter: '1' }] },
    ])
    expect((await lines()).map(({ cost_center, carried }) => [cost_center, carried])).toEqual([
      ['6120', ['costCenter']],
      [null, null],
      ['1', null],
    ])
  })
})
