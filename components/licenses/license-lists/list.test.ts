import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { readTargets } from '#lib/licenses/license-lists/targets.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { type LicenseList, type ListRow, moneyOf } from './list.ts'
import { receiptCsv, receiptText } from './list-receipt.tsx'
import { reasonOf } from './messages.ts'
import { readListFile } from './target-form.tsx'

const row = (values: Partial<ListRow> = {}): ListRow => ({
  line: 1,
  assetId: 'office-suite-1',
  quantity: 12,
  type: 'office-suite',
  name: 'Apps',
  assigned: 4,
  key: 'k',
  state: 'done',
  reason: '',
  quantityState: { status: 'ACTIVE', isCommitmentPlan: false, purchased: 10 },
  ...values,
})
const listOf = (...rows: ListRow[]): LicenseList => ({
  id: 'p',
  madeAt: 0,
  skipped: 0,
  confirmed: true,
  rows,
})

describe('money', () => {
  const usd = { price: '0.1', currency: 'USD' }
  const prices = { a: usd, b: usd, c: { price: '5', currency: 'EUR' }, cap: usd }

  test('is summed per currency, never across two; rows without a price are counted', () => {
    const quantityIsCap = { vendor: { label: 'Google', quantityIsCap: true } } as ListRow['item']
    const rows = [
      row({ assetId: 'a', quantity: 30 }),
      row({ assetId: 'b', quantity: 5 }),
      row({ assetId: 'c', quantity: 8 }),
      row({ assetId: 'cap', quantity: 99, item: quantityIsCap }),
      row({ assetId: 'unknown' }),
    ]
    const { amounts, unpriced } = moneyOf(rows, prices)
    expect(amounts).toEqual([
      { currency: 'USD', amount: '1.5' },
      { currency: 'EUR', amount: '-10' },
    ])
    expect(unpriced).toBe(2)
  })
})

describe('the receipt', () => {
  const list = listOf(
    row({ at: Date.UTC(2026, 10, 20, 9, 5, 7) }),
    row({
      assetId: 'office-suite-2',
      name: '=cmd|"/c calc"!A1',
      state: 'refused',
      reason: '4 users;\n=1+1, or "more"',
    }),
    row({ assetId: 'office-suite-3', name: '', state: 'allowed', quantityState: undefined }),
  )

  test('is CSV that can be imported again, without formulas', () => {
    expect(parse(receiptCsv(list), { bom: true })).toEqual([
      ['Asset ID', 'Name', 'From', 'To', 'Outcome', 'Reason', 'Time (UTC)'],
      ['office-suite-1', 'Apps', '10', '12', 'Done', '', '2026-11-20 09:05:07'],
      ['office-suite-2', '\'=cmd|"/c calc"!A1', '10', '12', 'Can’t be set', '4 users; \'=1+1, or "more"', ''],
      ['office-suite-3', '', '', '12', 'Not sent yet', '', ''],
    ])
  })

  test('can be pasted as a list again', () => {
    for (const text of [receiptCsv(list), receiptText(list)]) {
      const { targets, errors } = readTargets(text)
      expect(errors).toEqual([])
      expect(targets.map(({ assetId, quantity }) => [assetId, quantity])).toEqual([
        ['office-suite-1', 12],
        ['office-suite-2', 12],
        ['office-suite-3', 12],
      ])
    }
  })
})

test('a conflict names the other member and states the new meaning of the total', () => {
  const members = { current: 15, changedBy: 'Ana Ruiz', changedAt: 0, etag: '"2.x"' }
  const problem = new ProblemError('version_mismatch', 412, 'Changed.', { members })
  const text = 'Ana Ruiz set this to 15 licenses a minute ago. Your 12 now means −3, not +2.'
  expect(reasonOf(problem, row(), 60_000)).toBe(text)
  expect(reasonOf(new TypeError('Failed to fetch'), row(), 0)).toContain('It’s safe to try again.')
  expect(reasonOf(new ProblemError('not_found', 404, 'Not found', {}), row(), 0)).toBe(
    'No asset has this ID.',
  )
})

describe('a file', () => {
  const file = (...bytes: (string | number[])[]) =>
    new File(
      bytes.map((part) => (typeof part === 'string' ? part : new Uint8Array(part))),
      'list.csv',
    )

  test('can be UTF-8, or UTF-16 as spreadsheets save it', async () => {
    expect(await readListFile(file('Größe,1'))).toBe('Größe,1')
    expect(await readListFile(file([0xff, 0xfe, 0x61, 0, 0x09, 0]))).toBe('a\t')
    expect(await readListFile(file([0xfe, 0xff, 0, 0x61]))).toBe('a')
  })

  test.each([
    [file('PK\u0003\u0004'), 'is a workbook or an archive'],
    [file([0x61, 0xfc, 0x2c]), 'is no text in UTF-8'],
    [file('x'.repeat(1_000_001)), 'larger than a list'],
  ])('is rejected if it is not a text list: %#', async (value, reason) => {
    await expect(readListFile(value)).rejects.toThrow(reason)
  })
})
