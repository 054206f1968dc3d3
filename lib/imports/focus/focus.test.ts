import { describe, expect, test } from 'vitest'
import type { NewInvoice } from '#lib/imports/schemas.ts'
import { readFocus } from './focus.ts'
import { platformTable } from './platforms.ts'
import { NOW, sourcesOf } from './test-sources.ts'

const ROW = {
  BilledCost: '1.00',
  BillingAccountId: 'A-1',
  BillingCurrency: 'USD',
  BillingPeriodStart: '2026-09-01 00:00:00',
  BillingPeriodEnd: '2026-10-01 00:00:00',
  ChargeCategory: 'Usage',
  InvoiceIssuerName: 'Cloud Resale Ltd',
  ProviderName: 'AWS',
  ServiceName: 'Compute',
}
type Row = Partial<
  Record<keyof typeof ROW | 'InvoiceId' | 'ServiceProviderName' | 'HostProviderName', string>
>

/** Returns a file whose rows override `ROW`; an undefined value removes the column. */
function csv(rows: Row[], base: Row = ROW): string {
  const columns = Object.keys({ ...base, ...rows[0] }).filter(
    (name) => name in base || rows.some((row) => name in row),
  )
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
  const lines = rows.map((row) =>
    columns.map((name) => cell({ ...base, ...row }[name as keyof Row] ?? '')).join(','),
  )
  return `${columns.join(',')}\n${lines.join('\n')}\n`
}

type Terms = { dueDays?: number; paid?: boolean; pairs?: string[]; mostInMemory?: number; now?: Date }

async function read(
  text: string,
  { dueDays = 30, paid = false, pairs, mostInMemory = 1000, now = NOW }: Terms = {},
): Promise<NewInvoice[]> {
  const options = { platforms: platformTable(pairs), dueDays, paid, mostInMemory, now }
  return readFocus(sourcesOf(text), options, async (invoices) => [...invoices].map(({ invoice }) => invoice))
}

const importErrorOf = async (text: string) => {
  const error = await read(text).catch((thrown: unknown) => thrown)
  return (error as { problems?: { line?: number; column?: string; reason: string }[] }).problems
}

describe('a FOCUS 1.0 file', () => {
  test('becomes an invoice with a line per service and charge category', async () => {
    const invoices = await read(
      csv([
        { BilledCost: '10.004' },
        { BilledCost: '0.004' },
        { BilledCost: '0.004', ServiceName: 'Queue' },
        { BilledCost: '-2.5', ChargeCategory: 'Credit' },
        { BilledCost: '0', ServiceName: 'Storage' },
      ]),
    )
    expect(invoices).toEqual([
      {
        number: expect.stringMatching(/^2026-09-[0-9a-f]{8}$/),
        isNumbered: false,
        documentState: 'issued',
        form: 'summary',
        billingAccount: 'A-1',
        periodStart: '2026-09-01',
        periodEnd: '2026-10-01',
        platform: 'web-services',
        issuer: 'Cloud Resale Ltd',
        invoiceDate: '2026-09-30',
        dueDate: '2026-10-30',
        currency: 'USD',
        totalAmount: '7.51',
        lines: [
          {
            type: 'web-services',
            description: 'Compute',
            price: '10.01',
            qty: '1',
            details: 'Usage, 2 charges',
          },
          { type: 'web-services', description: 'Queue', price: '0.00', qty: '1', details: 'Usage, 1 charge' },
          {
            type: 'web-services',
            description: 'Storage',
            price: '0.00',
            qty: '1',
            details: 'Usage, 1 charge',
          },
          {
            type: 'web-services',
            description: 'Compute',
            price: '-2.50',
            qty: '1',
            details: 'Credit, 1 charge',
          },
        ],
      },
    ])
  })

  test.each([
    ['HUF', '10.494', '10.49'],
    ['PKR', '0.451', '0.45'],
    ['JPY', '10.5', '11'],
    ['KWD', '10.4905', '10.491'],
    ['CLF', '10.49004', '10.4900'],
  ])('%s %s is rounded to its minor unit by ISO 4217', async (BillingCurrency, BilledCost, total) => {
    expect(await read(csv([{ BillingCurrency, BilledCost }]))).toMatchObject([
      { totalAmount: total, lines: [{ price: total }] },
    ])
  })

  test('is split by issuer, billing account, billing period and currency', async () => {
    const other = { BillingPeriodStart: '2026-10-01', BillingPeriodEnd: '2026-11-01' }
    const invoices = await read(
      csv([
        {},
        { InvoiceIssuerName: 'B' },
        { BillingAccountId: 'A-2' },
        other,
        { BillingCurrency: 'EUR' },
        {},
      ]),
    )
    expect(new Set(invoices.map(({ number }) => number)).size).toBe(5)
    expect(invoices.map(({ issuer, currency, totalAmount }) => [issuer, currency, totalAmount])).toEqual([
      ['B', 'USD', '1.00'],
      ['Cloud Resale Ltd', 'EUR', '1.00'],
      ['Cloud Resale Ltd', 'USD', '2.00'],
      ['Cloud Resale Ltd', 'USD', '1.00'],
      ['Cloud Resale Ltd', 'USD', '1.00'],
    ])
    expect(invoices[3]).toMatchObject({
      invoiceDate: '2026-10-31',
      number: expect.stringMatching(/^2026-10-/),
    })
  })

  test('treats equal periods in different notations as the same', async () => {
    const rows = [
      {},
      { BillingPeriodStart: '2026-09-01T00:00:00Z', BillingPeriodEnd: '2026-10-01T00:00:00.000Z' },
      { BillingPeriodStart: '2026-09-01T02:00:00+02:00', BillingPeriodEnd: '2026-09-30T20:00:00-04:00' },
    ]
    const invoices = await read(csv(rows))
    expect(invoices).toMatchObject([{ totalAmount: '3.00', invoiceDate: '2026-09-30' }])
    expect(await read(csv(rows.toReversed()))).toEqual(invoices)
  })

  test('is added up exactly, with scientific notation and any sign', async () => {
    const tenths = Array.from({ length: 1000 }, () => ({ BilledCost: '0.1' }))
    expect(await read(csv(tenths))).toMatchObject([{ totalAmount: '100.00' }])
    const [small] = await read(
      csv([{ BilledCost: '1e-30' }, { BilledCost: '5E-3' }, { BilledCost: '-1e-30' }]),
    )
    expect(small).toMatchObject({ totalAmount: '0.01' })
    expect(await read(csv([{ BilledCost: '-12.345' }]))).toMatchObject([
      { totalAmount: '-12.35', lines: [{ price: '-12.35' }] },
    ])
  })

  test.each([
    ['JPY', '1234.5', '1235'],
    ['KWD', '0.0005', '0.001'],
  ])('is rounded to the minor unit of %s', async (BillingCurrency, BilledCost, total) => {
    expect(await read(csv([{ BillingCurrency, BilledCost }]))).toMatchObject([{ totalAmount: total }])
  })

  test('sets no balance by default', async () => {
    const [open] = await read(csv([{}]))
    expect(open).not.toHaveProperty('balanceAmount')
    expect(await read(csv([{}]), { paid: true, dueDays: 0 })).toMatchObject([
      { balanceAmount: '0', dueDate: '2026-09-30' },
    ])
  })

  test('maps providers to platforms; the heaviest one sets the invoice’s platform', async () => {
    const rows = [{ BilledCost: '1' }, { ProviderName: 'Red Rocks Inc.', BilledCost: '-5' }]
    const [invoice] = await read(csv(rows), { pairs: ['AWS=my-cloud'] })
    expect(invoice?.platform).toBe('red-rocks-inc')
    expect(invoice?.lines.map(({ type }) => type)).toEqual(['my-cloud', 'red-rocks-inc'])
  })

  test('accepts a byte order mark, CRLF, additional columns, and names in any case', async () => {
    const text = csv([{}, {}]).replace('BilledCost', 'billedcost').replaceAll('\n', '\r\n')
    const wider = text
      .replace('ServiceName', 'ServiceName,x_Team')
      .replaceAll('"Compute"', '"Compute","ops, eu"')
    expect(await read(wider)).toMatchObject([{ totalAmount: '2.00' }])
  })

  test('names a charge without a service by its category', async () => {
    const [invoice] = await read(csv([{ ServiceName: 'NULL', ChargeCategory: 'Tax' }]))
    expect(invoice?.lines).toMatchObject([{ description: 'Tax', details: 'Tax, 1 charge' }])
  })
})

describe('later versions', () => {
  test('have one invoice per issuer, InvoiceId and currency in 1.2', async () => {
    const invoices = await read(
      csv([
        { InvoiceId: 'INV/7', BillingAccountId: 'A-1' },
        { InvoiceId: 'INV/7', BillingAccountId: 'A-2', BillingPeriodEnd: '2026-11-01' },
        { InvoiceId: 'NULL' },
        { InvoiceId: 'INV/8' },
      ]),
    )
    expect(invoices.map(({ number, totalAmount }) => [number, totalAmount])).toEqual([
      ['INV/7', '2.00'],
      ['INV/8', '1.00'],
      [expect.stringMatching(/^2026-09-/), '1.00'],
    ])
    expect(invoices[0]).toMatchObject({
      isNumbered: true,
      invoiceDate: '2026-10-31',
      periodStart: '2026-09-01',
      periodEnd: '2026-11-01',
    })
    expect(invoices[0]).not.toHaveProperty('billingAccount')
    expect(invoices[0]?.accounts).toEqual(['A-1', 'A-2'])
    expect(invoices[1]?.billingAccount).toBe('A-1')
  })

  test('have two invoices for two issuers with one InvoiceId', async () => {
    const other = { InvoiceIssuerName: 'Another', BillingCurrency: 'EUR', BilledCost: '2' }
    const invoices = await read(csv([{ InvoiceId: 'I-1' }, { InvoiceId: 'I-1', ...other }]))
    expect(invoices).toMatchObject([
      { issuer: 'Another', number: 'I-1', currency: 'EUR', totalAmount: '2.00' },
      { issuer: 'Cloud Resale Ltd', number: 'I-1', currency: 'USD', totalAmount: '1.00' },
    ])
  })

  test('an InvoiceId with two currencies is refused', async () => {
    const column = 'BillingCurrency'
    const problems = await importErrorOf(csv([{ InvoiceId: 'I-1' }, { InvoiceId: 'I-1', [column]: 'EUR' }]))
    expect(problems).toMatchObject([{ line: 3, column, reason: expect.stringContaining('I-1') }])
  })

  test.each([
    ['2026-09-30T23:59:59.999Z', 'draft'],
    ['2026-10-01T00:00:00Z', 'issued'],
  ])('are drafts without an InvoiceId while their period runs: at %s the state is %s', async (now, state) => {
    const rows = csv([{ InvoiceId: 'I-1' }, { InvoiceId: '' }])
    expect(await read(rows, { now: new Date(now), paid: true })).toMatchObject([
      { number: 'I-1', documentState: 'issued', form: 'summary', balanceAmount: '0' },
      { documentState: state, form: 'summary', ...(state === 'issued' ? { balanceAmount: '0' } : {}) },
    ])
    const [, draft] = await read(rows, { now: new Date(now), paid: true })
    expect('balanceAmount' in (draft ?? {})).toBe(state === 'issued')
  })

  test('1.3: ServiceProviderName in the place of ProviderName', async () => {
    const { ProviderName: _, ...base } = ROW
    expect(
      await read(csv([{ ServiceProviderName: 'Google Cloud', HostProviderName: 'AWS' }], base)),
    ).toMatchObject([{ platform: 'cloud-platform' }])
    // Both while the old one is deprecated; a row may leave the new one empty.
    expect(await read(csv([{ ServiceProviderName: 'NULL' }]))).toMatchObject([{ platform: 'web-services' }])
  })
})

describe('a bad file', () => {
  test('is refused with all missing columns in one sentence', async () => {
    const { BilledCost: _, ...all } = ROW
    expect(await importErrorOf(csv([{}], all))).toEqual([
      { line: 1, column: 'BilledCost', reason: 'there is no such column' },
    ])
    const { ProviderName: __, ...base } = all
    expect(await importErrorOf(csv([{}], base))).toEqual([
      {
        line: 1,
        reason: expect.stringMatching(/^the header lacks the columns BilledCost, .*ProviderName/),
      },
    ])
    expect(await importErrorOf('name;price\nx;1\n')).toHaveLength(1)
  })

  test.each([
    ['BilledCost', 'abc'],
    ['BilledCost', ''],
    ['BilledCost', 'NaN'],
    ['BilledCost', 'Infinity'],
    ['BilledCost', '1e999999'],
    ['BillingCurrency', 'usd'],
    ['BillingCurrency', 'NULL'],
    ['BillingPeriodStart', '2026-02-30'],
    ['BillingPeriodEnd', 'soon'],
    ['BillingPeriodEnd', '2026-09-01'],
    ['InvoiceIssuerName', ''],
    ['BillingAccountId', ' '],
    ['ProviderName', ''],
    ['ChargeCategory', ''],
    ['ServiceName', 'a\u0007b'],
    ['ServiceName', 'x'.repeat(301)],
    ['InvoiceId', '..'],
    ['InvoiceId', 'a\tb'],
  ])('is refused with %s %j and its line', async (column, value) => {
    const rows = [{ ...(column === 'InvoiceId' ? { InvoiceId: 'x' } : {}) }, { [column]: value }]
    expect(await importErrorOf(csv(rows))).toMatchObject([{ line: 3, column }])
  })

  test.each([
    ['XXX', 'is XXX, which says that there is no currency'],
    ['XTS', 'is XTS, which is for tests and no currency'],
    ['ABC', 'is ABC, which is no currency of ISO 4217'],
    ['usd', 'is not a three-letter code such as USD'],
  ])('is refused with the currency %s, while a withdrawn currency is accepted', async (currency, reason) => {
    const column = 'BillingCurrency'
    expect(await importErrorOf(csv([{ [column]: currency }]))).toEqual([{ line: 2, column, reason }])
    expect(await read(csv([{ [column]: 'DEM' }]))).toMatchObject([{ currency: 'DEM' }])
  })

  test('is refused with a row of too few or too many columns', async () => {
    const text = `${csv([{}])}1,2\n${'x,'.repeat(20)}\n`
    expect(await importErrorOf(text)).toMatchObject([
      { line: 3, reason: 'has 2 columns, but the header has 9' },
      { line: 4, reason: 'has 21 columns, but the header has 9' },
    ])
  })

  test('is refused with all bad rows, or the first 20 of many', async () => {
    const bad = { BilledCost: 'x' }
    expect(await importErrorOf(csv([bad, {}, bad, { BillingCurrency: 'x', BilledCost: 'y' }]))).toMatchObject(
      [{ line: 2 }, { line: 4 }, { line: 5, column: 'BilledCost' }, { line: 5, column: 'BillingCurrency' }],
    )
    expect(await importErrorOf(csv(Array.from({ length: 100 }, () => bad)))).toHaveLength(20)
  })

  test.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
    ['|', 'bars'],
  ])('is refused with the hint that its columns are separated by %j', async (separator, name) => {
    const reason = `This file is separated by ${name}; save it as CSV with commas between the columns and points in the numbers.`
    const quotedCells = csv([{ BilledCost: '1.5' }])
      .replaceAll('","', `"${separator}"`)
      .replaceAll(',', separator)
    for (const text of [
      quotedCells,
      quotedCells.replaceAll('"', ''),
      `\r\n${quotedCells.replaceAll('\n', '\r\n')}`,
    ])
      expect(await importErrorOf(text)).toEqual([{ reason }])
  })

  test.each([
    ['nothing but a header', csv([{}]).split('\n')[0] ?? ''],
    ['nothing', ''],
  ])('is refused when it has %s', async (_what, text) => {
    expect(await importErrorOf(text)).toMatchObject([{ reason: 'There are no charges in the file.' }])
  })
})
