import { describe, expect, it } from 'vitest'
import { epochOfDay, minorUnit, statusOf } from './rules.ts'

describe('statusOf (CONTRACT 3)', () => {
  it.each([
    ['0', '2026-01-01', 'PAID'],
    ['0.00', '2026-01-01', 'PAID'],
    ['-0.01', '2026-01-01', 'PAID'],
    ['0.01', '2026-11-19', 'PAST DUE'],
    ['0.01', '2026-11-20', 'OPEN'],
    ['10', '2026-11-21', 'OPEN'],
  ])('balance %s, due %s: %s', (balance, due, status) => {
    expect(statusOf(balance, due, '2026-11-20')).toBe(status)
  })
})

describe('minorUnit', () => {
  it.each([
    ['USD', 2],
    ['JPY', 0],
    ['KWD', 3],
    ['XYZ', 2],
  ])('%s has %i decimals', (currency, decimals) => {
    expect(minorUnit(currency)).toBe(decimals)
  })
})

it('reads a day as its midnight in UTC, whatever the time zone of the process', () => {
  expect(epochOfDay('2026-09-30')).toBe(Date.UTC(2026, 8, 30))
})
