import { expect, test } from 'vitest'
import { totalsOf, totalsText } from './rules.ts'

const change = (purchased: number, quantity: number, isCommitmentPlan = false) => ({
  quantityState: { status: 'ACTIVE', isCommitmentPlan, purchased },
  quantity,
})

test.each([
  [
    [change(10, 57), change(50, 140, true)],
    'Set 2 assets, +137 licenses, of which 90 can’t be lowered before their renewal',
  ],
  [[change(50, 60, true)], 'Set 1 asset, +10 licenses, which can’t be lowered before their renewal'],
  [
    [change(50, 60, true), change(9, 5)],
    'Set 2 assets, +10 and −4 licenses; the added ones can’t be lowered before their renewal',
  ],
  [
    [change(50, 60, true), change(1, 2), change(9, 5)],
    'Set 3 assets, +11 and −4 licenses; 10 of the added ones can’t be lowered before their renewal',
  ],
  [[change(1, 2)], 'Set 1 asset, +1 license'],
  [[change(2000, 5)], 'Set 1 asset, −1,995 licenses'],
])('The totals read in words: %#', (changes, text) => {
  expect(totalsText(totalsOf(changes))).toBe(text)
})

test('An addition needs confirmation where one row would need it', () => {
  const few = Array.from({ length: 30 }, () => change(100, 110, true))
  expect(totalsOf(few)).toEqual({ assets: 30, added: 300, removed: 0, committed: 300, mustType: false })
  expect(totalsOf([...few, change(10, 13, true)]).mustType).toBe(true)
  expect(totalsOf([change(10, 999)]).mustType).toBe(false)
})
