import { describe, expect, test } from 'vitest'
import type { ImportError } from '#lib/imports/import-error.ts'
import { readAccounts } from '../resale/accounts.ts'
import { type FocusOptions, readFocus } from './focus.ts'
import { platformTable } from './platforms.ts'
import { NOW, sourcesOf } from './test-sources.ts'

// The vendor publishes no sample of this dataset: these rows are invented by the published columns.
const ROW = {
  InvoiceIssuerName: 'Google Cloud',
  InvoiceId: 'G-1',
  InvoiceIssueStatus: 'Issued',
  InvoiceIssueDate: '2026-10-03T00:00:00Z',
  PaymentDueDate: '2026-11-02T00:00:00Z',
  InvoiceDetailId: 'L-1',
  InvoiceDetailDescription: 'Compute Engine in Zurich',
  BillingAccountId: 'A-1',
  BillingPeriodStart: '2026-09-01T00:00:00Z',
  BillingPeriodEnd: '2026-10-01T00:00:00Z',
  ChargeCategory: 'Usage',
  BilledCost: '10.25',
  BillingCurrency: 'USD',
  PaymentCurrency: 'EUR',
  PaymentCurrencyBilledCost: '9.43',
  ReferenceInvoiceId: 'G-1',
}
type Row = Partial<typeof ROW>
const OPEN: Row = {
  InvoiceIssueStatus: 'Open',
  InvoiceId: '',
  InvoiceIssueDate: '',
  PaymentDueDate: '',
  ReferenceInvoiceId: '',
}

const csv = (rows: Row[]) =>
  [Object.keys(ROW), ...rows.map((row) => Object.values({ ...ROW, ...row }))]
    .map((cells) => `${cells.join(',')}\n`)
    .join('')

function read(rows: Row[] | Record<string, string>, more: Partial<FocusOptions> = {}) {
  const options = { platforms: platformTable(), dueDays: 30, paid: false, now: NOW, ...more }
  return readFocus(sourcesOf(Array.isArray(rows) ? csv(rows) : rows), options, async (invoices, summary) => {
    expect(summary.charges).toBe(0)
    return [...invoices].map(({ invoice }) => invoice)
  })
}
const importErrorOf = async (rows: Row[] | Record<string, string>) =>
  ((await read(rows).catch((error: unknown) => error)) as ImportError).problems

describe('invoice details', () => {
  test('become the lines of an invoice from its issuer', async () => {
    const lines: Row[] = [
      {},
      { InvoiceDetailId: 'L-2', BilledCost: '20' },
      { InvoiceDetailId: 'L-3', InvoiceDetailDescription: 'NULL', ChargeCategory: 'Tax', BilledCost: '2.30' },
    ]
    expect(await read(lines)).toEqual([
      {
        number: 'G-1',
        isNumbered: true,
        documentState: 'issued',
        form: 'invoice',
        platform: 'cloud-platform',
        issuer: 'Google Cloud',
        invoiceDate: '2026-10-03',
        dueDate: '2026-11-02',
        currency: 'USD',
        totalAmount: '32.55',
        billingAccount: 'A-1',
        periodStart: '2026-09-01',
        periodEnd: '2026-10-01',
        taxAmount: '2.3',
        lines: [
          ['L-2', 'Compute Engine in Zurich', '20.00', 'Usage'],
          ['L-1', 'Compute Engine in Zurich', '10.25', 'Usage'],
          ['L-3', 'Tax', '2.30', 'Tax'],
        ].map(([detailId, description, price, details]) => ({
          type: 'cloud-platform',
          description,
          price,
          qty: '1',
          details,
          detailId,
          chargeCategory: details,
          paymentCurrency: 'EUR',
          paymentAmount: '9.43',
        })),
      },
    ])
    // The same in two parts, in reverse order.
    const [first = {}, ...rest] = lines
    expect(await read({ b: csv(rest), a: csv([first]) })).toEqual(await read(lines))
  })

  test('become a draft while open, under the number of charges before numbering', async () => {
    const [draft] = await read([OPEN])
    expect(draft).toMatchObject({
      isNumbered: false,
      documentState: 'draft',
      form: 'invoice',
      invoiceDate: '2026-09-30',
      dueDate: '2026-10-30',
    })
    const header =
      'InvoiceIssuerName,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost'
    const charges = `${header}\nGoogle Cloud,A-1,2026-09-01,2026-10-01,USD,Google,Compute,Usage,1\n`
    const options = { platforms: platformTable(), dueDays: 30, paid: false, now: NOW }
    await readFocus(sourcesOf(charges), options, async ([one]: Iterable<{ invoice: { number: string } }>) =>
      expect(one?.invoice.number).toBe(draft?.number),
    )
    // An issuer may number it before it is issued.
    expect(await read([{ ...OPEN, InvoiceId: 'G-9' }])).toMatchObject([
      { number: 'G-9', isNumbered: true, documentState: 'draft' },
    ])
  })

  test('contain voided invoices and the references of credit notes', async () => {
    expect(
      await read([
        { InvoiceIssueStatus: 'Voided' },
        { InvoiceId: 'G-2', ReferenceInvoiceId: 'G-1', BilledCost: '-10.25', ChargeCategory: 'Credit' },
        { InvoiceId: 'G-3', ReferenceInvoiceId: 'G-1' },
        { InvoiceId: 'G-3', ReferenceInvoiceId: 'G-2', InvoiceDetailId: 'L-2' },
        { InvoiceId: 'G-3', ReferenceInvoiceId: '', InvoiceDetailId: 'L-3' },
      ]),
    ).toMatchObject([
      { number: 'G-1', documentState: 'voided', totalAmount: '10.25' },
      { number: 'G-2', documentState: 'issued', totalAmount: '-10.25', corrects: 'G-1' },
      { number: 'G-3' },
    ])
    const invoices = await read([{}, { InvoiceId: 'G-3', ReferenceInvoiceId: 'G-1' }])
    expect(invoices[0]).not.toHaveProperty('corrects')
    expect(invoices[1]?.corrects).toBe('G-1')
    const both: Row[] = [
      { InvoiceId: 'G-3', ReferenceInvoiceId: 'G-2' },
      { InvoiceId: 'G-3', ReferenceInvoiceId: 'G-1', InvoiceDetailId: 'L-2' },
    ]
    for (const rows of [both, both.toReversed()]) expect((await read(rows))[0]).not.toHaveProperty('corrects')
  })

  test('belong to the owner of their billing account, whose numbers a credit note refers to', async () => {
    const accounts = await readAccounts(
      (async function* () {
        yield 'account,customer,billingProfile\nA-1,heron,emea\n'
      })(),
      'accounts.csv',
    )
    expect(await read([{}, { InvoiceId: 'G-2' }], { accounts })).toMatchObject([
      { number: 'G-1/emea', billingProfileId: 'emea', form: 'invoice' },
      { number: 'G-2/emea', corrects: 'G-1/emea' },
    ])
  })

  test.each<[string, Row[], object]>([
    ['another status', [{ InvoiceIssueStatus: 'Paid' }], { line: 2, column: 'InvoiceIssueStatus' }],
    ['no status', [{ InvoiceIssueStatus: '' }], { line: 2, column: 'InvoiceIssueStatus' }],
    ['no number', [{ InvoiceId: '' }], { column: 'InvoiceId', reason: expect.stringContaining('issued') }],
    ['a due date before its date', [{ PaymentDueDate: '2026-10-02' }], { column: 'PaymentDueDate' }],
    ['no date', [{ InvoiceIssueDate: 'soon' }], { column: 'InvoiceIssueDate' }],
    ['a line twice', [{}, {}], { line: 3, column: 'InvoiceDetailId' }],
    [
      'two states of one invoice',
      [{}, { InvoiceIssueStatus: 'Voided', InvoiceDetailId: 'L-2' }],
      { line: 3, column: 'InvoiceIssueStatus', reason: '"voided", but invoice G-1 began with "issued"' },
    ],
    ['a long text', [{ InvoiceDetailDescription: 'x'.repeat(501) }], { column: 'InvoiceDetailDescription' }],
  ])('are refused with %s', async (_what, rows, problem) => {
    expect(await importErrorOf(rows)).toMatchObject([problem])
  })

  test('are refused when a line is repeated in another part, even after a spill to disk', async () => {
    const problems = [{ file: 'b', line: 2, column: 'InvoiceDetailId' }]
    const texts = { a: csv([{}]), b: csv([{}]) }
    await expect(read(texts)).rejects.toMatchObject({ problems })
    await expect(read(texts, { mostInMemory: 1 })).rejects.toMatchObject({ problems })
  })

  test('are refused with another issuer', async () => {
    await expect(read([{}], { issuer: 'Resale', atCost: true })).rejects.toMatchObject({
      problems: [{ reason: expect.stringContaining('no one else can issue') }],
    })
  })
})
