import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS, epochOfDay as day } from '#lib/platform/values/days.ts'
import { billedPeriod } from './billed-period.ts'
import { checkSeats, type SeatHistory } from './seat-check.ts'

const OCTOBER = '1 Oct – 31 Oct 2026'
const INVOICED = day('2026-10-31')

const plus: SeatHistory = {
  names: ['Business Plus'],
  purchased: 240,
  since: day('2025-01-01'),
  changes: [
    { at: day('2026-09-12'), from: 210, to: 230, by: 'Ana' },
    { at: day('2026-10-12') + 3_600_000, from: 230, to: 240, by: 'Mira' },
  ],
}
const archive: SeatHistory = { names: ['Business Plus Archive'], purchased: 20, since: 0, changes: [] }
const line = (qty: number, more: { description?: string; Details?: string; amount?: number } = {}) => ({
  description: 'Business Plus',
  Details: OCTOBER,
  qty,
  amount: qty * 16.84,
  currency: 'EUR',
  ...more,
})
const check = (input: ReturnType<typeof line>, histories = [plus, archive]) =>
  checkSeats(input, INVOICED, histories)

describe('seatVerdict', () => {
  it('explains by the change that made it so, or the first that made it otherwise', () => {
    expect(check(line(240))).toEqual({ kind: 'explained', sure: true, change: plus.changes[1] })
    expect(check(line(230))).toEqual({ kind: 'explained', sure: true, change: plus.changes[1] })
  })

  it('matches where nothing changed in the period', () => {
    const september = { description: 'Business Plus', Details: '2026-08-01 to 2026-08-31' }
    expect(check(line(210, september))).toEqual({ kind: 'matches', sure: true, total: 210 })
  })

  it('reports an unexplained number with its amount at this line’s price', () => {
    expect(check(line(250))).toEqual({
      kind: 'unexplained',
      sure: true,
      expected: 240,
      gap: 10,
      money: '168.4',
    })
    expect(check(line(200))).toEqual({
      kind: 'unexplained',
      sure: true,
      expected: 240,
      gap: -40,
      money: '-673.6',
    })
    // The price may be the line's total: the amount decides.
    expect(check(line(250, { amount: 1000 }))).toMatchObject({ money: '40' })
  })

  it('finds the product by the longest name within the text, and marks the match as unsure', () => {
    expect(check(line(20, { description: 'BUSINESS  plus archive, annual' }))).toEqual({
      kind: 'matches',
      sure: false,
      total: 20,
    })
    expect(check(line(20, { description: 'Business Plus Archive' }))).toMatchObject({ sure: true })
    expect(check(line(20, { description: 'Premium support' }))).toEqual({ kind: 'unknown' })
  })

  it('adds up several assets of one name, and is then unsure', () => {
    const twin: SeatHistory = { names: ['Business Plus'], purchased: 7, since: 0, changes: [] }
    expect(check(line(247), [plus, twin])).toEqual({ kind: 'matches', sure: false, total: 247 })
    expect(check(line(7), [plus, twin])).toEqual({ kind: 'matches', sure: false, total: 7 })
    expect(check(line(99), [plus, twin])).toMatchObject({ kind: 'unexplained', sure: false, expected: 247 })
  })

  it('returns unknown for a time without data, and for fractions of a license', () => {
    expect(check(line(240, { Details: '1 Oct – 31 Oct 2024' }))).toEqual({ kind: 'unknown' })
    expect(check(line(239.5))).toEqual({ kind: 'unknown' })
    expect(check(line(240), [])).toEqual({ kind: 'unknown' })
  })

  it('never accepts a billed number that the asset did not have in the period', () => {
    const seats = fc.integer({ min: 0, max: 50 })
    fc.assert(
      fc.property(fc.array(seats, { maxLength: 6 }), seats, seats, (totals, start, qty) => {
        const levels = [start, ...totals]
        const changes = totals.map((to, n) => ({
          at: day('2026-10-02') + n * DAY_MS,
          from: levels[n] ?? 0,
          to,
        }))
        const history = { names: ['P'], purchased: levels.at(-1) ?? 0, since: 0, changes }
        const { kind } = checkSeats(line(qty, { description: 'P' }), INVOICED, [history])
        expect(kind === 'unexplained').toBe(!levels.includes(qty))
      }),
    )
  })
})

describe('billedPeriod', () => {
  it.each([
    ['1 Oct – 31 Oct 2026', '2026-10-01', '2026-10-31'],
    ['16 December 2025 - 15 January 2026', '2025-12-16', '2026-01-15'],
    ['Licenses, 2026-02-01 to 2026-02-28', '2026-02-01', '2026-02-28'],
    ['2026-02-01/2026-02-28', '2026-02-01', '2026-02-28'],
  ])('reads %s', (details, from, to) => {
    expect(billedPeriod(details, INVOICED)).toEqual({ from: day(from), to: day(to), isStated: true })
  })

  it.each([
    [undefined],
    ['Compute, 5 charges'],
    ['31 Feb – 3 Mar 2026'],
    ['31 Oct – 1 Oct 2026'],
    ['2026-13-01 to 2026-13-31'],
  ])('defaults to the month before the invoice where %s names none', (details) => {
    expect(billedPeriod(details, INVOICED)).toEqual({
      from: day('2026-10-01'),
      to: INVOICED,
      isStated: false,
    })
  })
})
