import Big from 'big.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { roundTo } from '#lib/platform/values/decimals.ts'
import { roundTogether } from './rounding.ts'

const together = (parts: string[], decimals = 2) =>
  roundTogether(
    parts.map((part) => new Big(part)),
    decimals,
  )

describe('roundTogether', () => {
  test.each([
    [['0.333', '0.333', '0.334'], '1.00', ['0.33', '0.33', '0.34']],
    [['0.004', '0.004', '0.004'], '0.01', ['0.01', '0.00', '0.00']],
    [['0.005'], '0.01', ['0.01']],
    [['-0.005'], '-0.01', ['-0.01']],
    [['-0.004'], '0.00', ['0.00']],
    [['0.003', '-0.003'], '0.00', ['0.00', '0.00']],
    [['10', '0', '-2.5'], '7.50', ['10.00', '0.00', '-2.50']],
    [['0', '0'], '0.00', ['0.00', '0.00']],
    [[], '0.00', []],
  ])('%j is %s as %j', (parts, total, shares) => {
    expect(together(parts)).toEqual({ total, shares })
  })

  test.each([
    [0, ['1.5', '1.5'], '3', ['2', '1']],
    [3, ['0.0004', '0.0001'], '0.001', ['0.001', '0.000']],
  ])('knows minor units of %i decimals', (decimals, parts, total, shares) => {
    expect(together(parts, decimals)).toEqual({ total, shares })
  })

  const amount = fc
    .tuple(fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n }), fc.integer({ min: 0, max: 20 }))
    .map(([digits, shift]) => new Big(digits.toString()).times(new Big(10).pow(-shift)))
  const cases = fc.tuple(fc.array(amount, { maxLength: 40 }), fc.constantFrom(0, 2, 3))

  test('shares add up to the total, which is the exact sum rounded half away from zero', () => {
    fc.assert(
      fc.property(cases, ([parts, decimals]) => {
        const { total, shares } = roundTogether(parts, decimals)
        const sum = parts.reduce((all, part) => all.plus(part), new Big(0))
        expect(shares.reduce((all, share) => all.plus(share), new Big(0)).toFixed()).toBe(
          new Big(total).toFixed(),
        )
        const away = sum
          .abs()
          .times(`1e${decimals}`)
          .plus('0.5')
          .round(0, Big.roundDown)
          .times(`1e-${decimals}`)
        expect(new Big(total).abs().eq(away)).toBe(true)
        expect(new Big(total).eq(0) || new Big(total).s === sum.s).toBe(true)
      }),
    )
  })

  test('keeps each share within one unit of its part, and whole parts unchanged', () => {
    fc.assert(
      fc.property(cases, ([parts, decimals]) => {
        const { shares } = roundTogether(parts, decimals)
        parts.forEach((part, index) => {
          const off = part.minus(shares[index] ?? 'none').abs()
          expect(off.lt(`1e-${decimals}`)).toBe(true)
          if (part.round(decimals).eq(part)) expect(off.eq(0)).toBe(true)
        })
      }),
    )
  })

  test('shares and exact amounts round to the total, also with half a unit', () => {
    const thousandths = fc.integer({ min: -30, max: 30 })
    const parts = fc.array(fc.integer({ min: -3000, max: 3000 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(parts, thousandths, (numbers, exact) => {
        const unrounded = new Big(exact).div(1000)
        const { total, shares } = roundTogether(
          numbers.map((number) => new Big(number).div(100_000)),
          2,
          unrounded,
        )
        const sum = shares.reduce((all, share) => all.plus(share), unrounded)
        expect(roundTo(sum, 2).eq(total)).toBe(true)
      }),
      { numRuns: 2000, examples: [[[-12_002], 125]] },
    )
    expect(roundTogether([new Big('-0.12001875')], 2, new Big('0.125'))).toEqual({
      total: '0.00',
      shares: ['-0.125'],
    })
  })

  test('rounds each share to the unit’s decimals, without a minus before zero', () => {
    fc.assert(
      fc.property(cases, ([parts, decimals]) => {
        const { total, shares } = roundTogether(parts, decimals)
        const shape = decimals === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${decimals}}$`)
        for (const text of [total, ...shares]) {
          expect(text).toMatch(shape)
          expect(text).not.toMatch(/^-[0.]+$/)
        }
      }),
    )
  })
})
