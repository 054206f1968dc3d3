import { describe, expect, test } from 'vitest'
import { type FocusOptions, readFocus } from '../focus/focus.ts'
import { platformTable } from '../focus/platforms.ts'
import { NOW, sourcesOf } from '../focus/test-sources.ts'
import { readPrices } from '../resale/prices.ts'

const CHARGE = {
  ...{
    InvoiceIssuerName: 'Google Cloud',
    InvoiceId: 'G-1',
    ProviderName: 'Google Cloud',
    ServiceName: 'Compute',
  },
  ...{ BillingAccountId: 'A-1', BillingPeriodStart: '2026-09-01', BillingPeriodEnd: '2026-10-01' },
  ...{ ChargeCategory: 'Usage', BilledCost: '10', BillingCurrency: 'USD', SubAccountId: 'S-1', SkuId: 'K' },
  ...{ ChargePeriodStart: '2026-09-05T00:00:00Z', ChargePeriodEnd: '2026-09-06T00:00:00Z' },
  ...{ PricingQuantity: '2', PricingUnit: 'Hours' },
}
const DETAIL = {
  ...{
    InvoiceIssuerName: 'Google Cloud',
    InvoiceId: 'G-1',
    InvoiceIssueStatus: 'Issued',
    InvoiceDetailId: 'L-1',
  },
  ...{ InvoiceDetailDescription: 'Compute', BillingAccountId: 'A-1', BillingPeriodStart: '2026-09-01' },
  ...{ BillingPeriodEnd: '2026-10-01', ChargeCategory: 'Usage', BilledCost: '10', BillingCurrency: 'USD' },
  ...{ PaymentTerms: 'Net 30', PurchaseOrderNumber: 'PO-1' },
}
type Row = Record<string, string>

async function read(rows: Row[], more: Partial<FocusOptions> = {}) {
  const [first = {}] = rows
  const csv = [Object.keys(first), ...rows.map((row) => Object.values(row))].map(
    (cells) => `${cells.join(',')}\n`,
  )
  const options = { platforms: platformTable(), dueDays: 30, paid: false, now: NOW, ...more }
  const invoices = await readFocus(sourcesOf(csv.join('')), options, async (imported) => [...imported])
  return invoices.map(({ invoice }) => invoice)
}
const charges = (...changes: Row[]) => changes.map((change) => ({ ...CHARGE, ...change }))
const details = (...changes: Row[]) =>
  changes.map((change, at) => ({ ...DETAIL, InvoiceDetailId: `L-${at}`, ...change }))

describe('charges set on their line', () => {
  test('the period from the first to the last, and the account that all share', async () => {
    const [invoice] = await read(
      charges(
        {},
        { ChargePeriodStart: '2026-09-02T00:00:00Z', ChargePeriodEnd: '2026-09-03T00:00:00Z' },
        { ServiceName: 'Storage', SubAccountId: 'S-2' },
        { ServiceName: 'Storage' },
      ),
    )
    const [first, second] = invoice?.lines ?? []
    expect(first).toMatchObject({ periodStart: '2026-09-02', periodEnd: '2026-09-06', subAccount: 'S-1' })
    expect(second).toMatchObject({ periodStart: '2026-09-05', periodEnd: '2026-09-06' })
    for (const field of ['subAccount', 'billingAccount', 'unit']) expect(second).not.toHaveProperty(field)
  })

  test('the billing account where the invoice has several', async () => {
    const [invoice] = await read(charges({}, { ServiceName: 'Storage', BillingAccountId: 'A-2' }))
    expect(invoice?.billingAccount).toBeUndefined()
    expect(invoice?.lines.map(({ billingAccount }) => billingAccount)).toEqual(['A-1', 'A-2'])
  })

  test('the unit in the file’s own words, where the line has a quantity', async () => {
    const text = (async function* () {
      yield 'customer,platform,sku,rule,currency\n,,K,3,USD\n'
    })()
    const prices = await readPrices(text, 'prices.csv')
    const [invoice] = await read(charges({}, {}), { issuer: 'Reseller', prices })
    expect(invoice?.lines[0]).toMatchObject({ qty: '4', unit: 'Hours' })
  })

  test('their quantity, unit and SKU, where all of them have the same; a line without a price of its own stays 1 of their sum', async () => {
    const lineOf = async (...changes: Row[]) => (await read(charges(...changes)))[0]?.lines[0]
    expect(await lineOf({}, { PricingQuantity: '0.125', SkuId: 'K' })).toMatchObject({
      ...{ qty: '1', usedQuantity: '2.125', usedUnit: 'Hours', sku: 'K' },
    })
    const units = await lineOf({}, { PricingUnit: 'GB' })
    for (const field of ['usedQuantity', 'usedUnit']) expect(units).not.toHaveProperty(field)
    expect(await lineOf({}, { PricingQuantity: '' })).not.toHaveProperty('usedQuantity')
    expect(await lineOf({ PricingQuantity: '' }, {})).not.toHaveProperty('usedQuantity')
    expect(await lineOf({}, { SkuId: 'L' })).not.toHaveProperty('sku')
  })

  test('no period where a time can’t be read, and are imported all the same', async () => {
    const [invoice] = await read(charges({ ChargePeriodStart: 'yesterday' }))
    expect(invoice?.lines[0]).not.toHaveProperty('periodStart')
  })

  test('the same fields whether or not they were spilled to disk', async () => {
    const rows = charges(
      {},
      { SubAccountId: 'S-2' },
      { ServiceName: 'Storage' },
      { ServiceName: 'Storage' },
      {},
    )
    expect(await read(rows, { mostInMemory: 1 })).toEqual(await read(rows))
  })

  test('their tax, which is that of the invoice', async () => {
    const tax = { ServiceName: 'NULL', ChargeCategory: 'Tax', BilledCost: '1.905' }
    const [invoice] = await read(charges({}, tax))
    expect(invoice).toMatchObject({ totalAmount: '11.91', taxAmount: '1.91' })
    expect((await read(charges({})))[0]).not.toHaveProperty('taxAmount')
  })
})

describe('invoice details set', () => {
  test('the invoice terms and order that all rows share', async () => {
    const [invoice] = await read(details({}, {}))
    expect(invoice).toMatchObject({ paymentTerms: 'Net 30', purchaseOrder: 'PO-1' })
    expect(invoice?.lines[0]).not.toHaveProperty('purchaseOrder')
  })

  test('the order of each line, where the rows differ', async () => {
    const [invoice] = await read(details({}, { PurchaseOrderNumber: 'PO-2', PaymentTerms: 'Net 60' }, {}))
    for (const field of ['paymentTerms', 'purchaseOrder']) expect(invoice).not.toHaveProperty(field)
    expect(invoice?.lines.map(({ purchaseOrder }) => purchaseOrder).sort()).toEqual(['PO-1', 'PO-1', 'PO-2'])
  })
})
