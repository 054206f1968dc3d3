import Big from 'big.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BillLine, type ChargeSet, type LineSum, reconcile } from './reconciliation.ts'

const NONE = { count: 0, amount: '0' }
const sum = (detail: string | null, amount: string, more: Partial<LineSum> = {}): LineSum => ({
  ...{ detail, from: 0, count: 1, amount, corrections: NONE, categories: [['Usage', 1, amount]] },
  ...more,
})
const setOf = (lines: LineSum[]): ChargeSet => ({
  currency: 'USD',
  count: lines.reduce((all, { count }) => all + count, 0),
  amount: lines.reduce((all, { amount }) => all.plus(amount), new Big(0)).toFixed(),
  lines,
})
const line = (
  detailId: string | null,
  amount: string,
  chargeCategory: string | null = 'Usage',
): BillLine => ({
  detailId,
  amount,
  chargeCategory,
})
const bill = (lines: BillLine[], currency = 'USD') => ({
  currency,
  totalAmount: lines.reduce((all, { amount }) => all.plus(amount), new Big(0)).toFixed(),
  lines,
})

describe('reconcile', () => {
  test.each<[string, string, string, boolean]>([
    ['the same', '10.00', '10', true],
    ['finer charges, rounded', '10.00', '9.9900000001', true],
    ['a minor unit apart', '10.00', '9.99', false],
    ['a credit', '-10.00', '-10.004', true],
    ['a credit, apart', '-10.00', '10', false],
  ])('%s: a line of %s, charges of %s: %s', (_, billed, charged, agrees) => {
    const reconciliation = reconcile(bill([line('L', billed)]), setOf([sum('L', charged)]))
    expect([reconciliation.agrees, reconciliation.lines?.[0]?.isMismatched]).toEqual([agrees, !agrees])
    expect(reconciliation.difference).toBe(new Big(billed).minus(charged).toFixed().replace(/^-?0$/, '0'))
  })

  test('rounds to the minor unit of the currency', () => {
    const reconcileIn = (currency: string) =>
      reconcile(bill([line('L', '10')], currency), setOf([sum('L', '9.5')])).agrees
    expect([reconcileIn('JPY'), reconcileIn('USD'), reconcileIn('KWD')]).toEqual([true, false, false])
  })

  test('reports differences that cancel each other out', () => {
    const reconciliation = reconcile(
      bill([line('A', '10'), line('B', '10')]),
      setOf([sum('A', '12'), sum('B', '8')]),
    )
    expect(reconciliation).toMatchObject({ agrees: false, difference: '0', apart: { count: 2, amount: '0' } })
  })

  test('compares only the total where lines have no ids', () => {
    const lines = [line(null, '10', null), line(null, '5', null)]
    const reconciliation = reconcile(bill(lines), setOf([sum(null, '15.001')]))
    expect(reconciliation).toEqual({
      ...{ count: 1, amount: '15.001', agrees: true, difference: '-0.001', rounding: '-0.001' },
      corrections: NONE,
    })
    expect(reconcile(bill(lines), setOf([sum('X', '14')]))).toMatchObject({ agrees: false, rounding: '0' })
  })

  test('compares two lines of a draft with one id together', () => {
    const reconciliation = reconcile(bill([line('A', '4'), line('A', '6')]), setOf([sum('A', '10')]))
    expect(reconciliation).toMatchObject({ agrees: true, withoutCharges: { count: 0 } })
  })

  test('compares categories where each line has one, including those on one side only', () => {
    const reconciliation = reconcile(
      bill([line('A', '10'), line('T', '2', 'Tax')]),
      setOf([sum('A', '10'), sum('C', '-1', { categories: [['Credit', 1, '-1']] })]),
    )
    expect(reconciliation.categories).toEqual([
      { category: 'Credit', billed: '0', charges: '-1', difference: '1' },
      { category: 'Tax', billed: '2', charges: '0', difference: '2' },
      { category: 'Usage', billed: '10', charges: '10', difference: '0' },
    ])
    expect(reconcile(bill([line('A', '1', null)]), setOf([])).categories).toBeUndefined()
  })

  test('reports parts that add up exactly to the difference', () => {
    const amount = fc.integer({ min: -(10 ** 9), max: 10 ** 9 })
    const lines = fc.array(fc.tuple(fc.constantFrom('A', 'B', 'C', 'D', null), amount), { minLength: 1 })
    const sums = fc.uniqueArray(fc.tuple(fc.constantFrom('A', 'B', 'C', 'X', null), amount), {
      selector: ([detail]) => detail,
    })
    fc.assert(
      fc.property(lines, sums, (billed, charged) => {
        const invoice = bill(billed.map(([id, cents]) => line(id, new Big(cents).div(100).toFixed())))
        const set = setOf(charged.map(([id, fine]) => sum(id, new Big(fine).div(100_000).toFixed())))
        const reconciliation = reconcile(invoice, set)
        const { apart, withoutLine, withoutCharges, rounding, difference } = reconciliation
        if (!apart || !withoutLine || !withoutCharges) return
        const mismatch = new Big(apart.amount)
          .plus(withoutCharges.amount)
          .plus(rounding)
          .minus(withoutLine.amount)
        expect(mismatch.eq(difference)).toBe(true)
        expect(new Big(invoice.totalAmount).minus(set.amount).eq(difference)).toBe(true)
      }),
    )
  })
})
