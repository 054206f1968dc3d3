import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ImportError } from '#lib/imports/import-error.ts'
import { type FocusOptions, readFocus } from './focus.ts'
import { platformTable } from './platforms.ts'
import type { ReadSummary } from './read-summary.ts'
import { cents, NOW, sourcesOf } from './test-sources.ts'

const COLUMNS = [
  'InvoiceIssuerName',
  'InvoiceId',
  'BillingAccountId',
  'BillingPeriodStart',
  'BillingPeriodEnd',
  'BillingCurrency',
  'ProviderName',
  'ServiceName',
  'ChargeCategory',
  'BilledCost',
] as const
type Row = Record<(typeof COLUMNS)[number], string>

const ROW: Row = {
  InvoiceIssuerName: 'Resale',
  InvoiceId: '',
  BillingAccountId: 'A-1',
  BillingPeriodStart: '2026-09-01',
  BillingPeriodEnd: '2026-10-01',
  BillingCurrency: 'USD',
  ProviderName: 'AWS',
  ServiceName: 'Compute',
  ChargeCategory: 'Usage',
  BilledCost: '1',
}
const csv = (rows: Partial<Row>[], columns: readonly (keyof Row)[] = COLUMNS) =>
  [columns, ...rows.map((row) => columns.map((name) => ({ ...ROW, ...row })[name]))]
    .map((cells) => `${cells.join(',')}\n`)
    .join('')

function read(texts: string | Record<string, string>, more: Partial<FocusOptions> = {}) {
  const options = { platforms: platformTable(), dueDays: 30, paid: false, now: NOW, ...more }
  return readFocus(sourcesOf(texts), options, async (invoices, summary) => ({
    invoices: [...invoices].map(({ invoice }) => invoice),
    summary: { ...summary, sums: summary.sums() },
  }))
}
const importErrorOf = async (texts: Record<string, string>) =>
  ((await read(texts).catch((error: unknown) => error)) as ImportError).problems

const row: fc.Arbitrary<Row> = fc.record({
  InvoiceIssuerName: fc.constantFrom('Resale', 'Vendor'),
  InvoiceId: fc.constantFrom('', 'NULL', 'I-1', 'I-2'),
  BillingAccountId: fc.constantFrom('A-1', 'A-2'),
  BillingPeriodStart: fc.constantFrom('2026-09-01', '2026-09-01T00:00:00Z'),
  BillingPeriodEnd: fc.constantFrom('2026-10-01', '2026-10-01 00:00:00'),
  BillingCurrency: fc.constant('USD'),
  ProviderName: fc.constantFrom('AWS', 'GCP'),
  ServiceName: fc.constantFrom('Compute', 'Storage', ''),
  ChargeCategory: fc.constantFrom('Usage', 'Credit'),
  BilledCost: fc.tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: 0, max: 12 })).map(
    // Twelve decimals at most, so that the sums of the test are whole numbers of 1e-12.
    ([digits, shift]) => `${digits}e-${shift}`,
  ),
})

/** Returns a whole number of 1e-12, computed without our decimals. */
function scaled(text: string): bigint {
  const [digits = '', shift = ''] = text.split('e-')
  return BigInt(digits) * 10n ** BigInt(12 - Number(shift))
}

describe('an export in parts', () => {
  test('equals the whole file, for any parts in any order, with columns in any order', async () => {
    const split = fc.tuple(
      fc.array(row, { minLength: 1, maxLength: 60 }),
      fc.infiniteStream(fc.nat(9)),
      fc.infiniteStream(fc.shuffledSubarray([...COLUMNS], { minLength: COLUMNS.length })),
      fc.shuffledSubarray([...Array(10).keys()], { minLength: 10 }),
      fc.constantFrom(1, 5, 1000),
    )
    await fc.assert(
      fc.asyncProperty(split, async ([rows, files, rowKeys, fileKeys, mostInMemory]) => {
        const parts = Array.from({ length: 10 }, (): Row[] => [])
        for (const each of rows) parts[files.next().value as number]?.push(each)
        const texts = Object.fromEntries(
          fileKeys.map((part) => [
            `part-${part}.csv`,
            csv(parts[part] ?? [], rowKeys.next().value as (keyof Row)[]),
          ]),
        )
        const whole = await read(csv(rows))
        expect(await read(texts, { mostInMemory })).toEqual(whole)

        const sums = new Map<string, bigint>()
        for (const each of rows) {
          const expectedId = each.InvoiceId.startsWith('I') ? each.InvoiceId : each.BillingAccountId
          const key = `${each.InvoiceIssuerName} ${expectedId}`
          sums.set(key, (sums.get(key) ?? 0n) + scaled(each.BilledCost))
        }
        const totals = whole.invoices.map(({ issuer, isNumbered, number, billingAccount, totalAmount }) => [
          `${issuer} ${isNumbered ? number : billingAccount}`,
          totalAmount,
        ])
        expect(new Map(totals as [string, string][])).toEqual(
          new Map([...sums].map(([key, sum]) => [key, cents(sum, 12)])),
        )
      }),
      { numRuns: 60 },
    )
  })

  test('is summarized in rows, and exact sums by currency, issuer, account and period', async () => {
    const { summary } = await read({
      a: csv([{ BilledCost: '0.0001' }, { BillingAccountId: 'A-2', InvoiceId: 'I-1' }]),
      b: csv([{ BilledCost: '0.0002' }, { BillingCurrency: 'EUR', BilledCost: '-3' }]),
    })
    const sum = { issuer: 'Resale', periodStart: '2026-09-01', periodEnd: '2026-10-01' }
    expect(summary).toEqual({
      rows: 4,
      used: 4,
      charges: 4,
      sums: [
        { ...sum, currency: 'EUR', account: 'A-1', rows: 1, billedCost: '-3', amount: '-3' },
        { ...sum, currency: 'USD', account: 'A-1', rows: 2, billedCost: '0.0003', amount: '0.0003' },
        { ...sum, currency: 'USD', account: 'A-2', rows: 1, billedCost: '1', amount: '1' },
      ],
    } satisfies Omit<ReadSummary, 'sums'> & { sums: unknown })
  })

  test('counts the lines of all parts for a display', async () => {
    const progress: number[] = []
    await read({ a: csv([{}, {}]), b: csv([{}]) }, { onLine: (line) => progress.push(line) })
    expect(progress).toEqual([1, 2, 3, 4, 5])
  })

  test('names the part of each problem', async () => {
    const short = csv([{}], COLUMNS.slice(0, -1))
    expect(
      await importErrorOf({ a: csv([{}, { BilledCost: 'x' }]), b: csv([{ BillingCurrency: 'ABC' }]) }),
    ).toMatchObject([
      { file: 'a', line: 3, column: 'BilledCost' },
      { file: 'b', line: 2, column: 'BillingCurrency' },
    ])
    expect(await importErrorOf({ a: csv([{}]), b: short })).toMatchObject([
      { file: 'b', line: 1, column: 'BilledCost', reason: 'there is no such column' },
    ])
    expect(await importErrorOf({ a: csv([{}]), b: `${csv([])}"` })).toMatchObject([{ file: 'b', line: 2 }])
    expect(await importErrorOf({ a: csv([{}]), b: csv([{}]).replaceAll(',', ';') })).toMatchObject([
      { file: 'b' },
    ])
  })

  test('reports a part that contradicts earlier ones, even after a spill to disk', async () => {
    const texts = { a: csv([{ InvoiceId: 'I-1' }]), b: csv([{ InvoiceId: 'I-1', BillingCurrency: 'EUR' }]) }
    const problems = [{ file: 'b', line: 2, column: 'BillingCurrency' }]
    await expect(read(texts)).rejects.toMatchObject({ problems })
    await expect(read(texts, { mostInMemory: 1 })).rejects.toMatchObject({ problems })
  })

  test('may include parts without charges, but at least one with charges', async () => {
    expect((await read({ a: csv([]), b: csv([{}]) })).invoices).toHaveLength(1)
    expect(await importErrorOf({ a: csv([]), b: csv([]) })).toMatchObject([
      { reason: 'There are no charges in the file.' },
    ])
  })
})
