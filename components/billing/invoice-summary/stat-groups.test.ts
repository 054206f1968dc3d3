import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { View } from '#components/billing/invoices/view.ts'
import type { CurrencySummary, InvoiceSummary } from '#lib/billing/invoices/contract.ts'
import { statGroups } from './stat-groups.ts'

const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
const TODAY = day('2026-11-20')

/** Returns sums in USD with nothing due, and these totals billed per month. */
function sums(more: Partial<CurrencySummary>, billed: Record<string, number> = {}): CurrencySummary {
  const months = Object.entries(billed).map(([month, totalAmount]) => ({
    month: day(`${month}-01`),
    count: 2,
    totalAmount,
    platforms: [{ platform: 'web-services', count: 2, totalAmount }],
  }))
  const none = { count: 0, amount: 0 }
  return {
    currency: 'USD',
    count: 9,
    totalAmount: 90,
    balanceAmount: 0,
    outstanding: none,
    credit: none,
    pastDue: none,
    dueIn30Days: none,
    months,
    ...more,
  }
}
const summary = (...currencies: CurrencySummary[]): InvoiceSummary => ({ count: 9, today: TODAY, currencies })
/** Returns the figures of a single currency, by name. */
function statsByName(one: CurrencySummary, view: View = {}) {
  const [set] = statGroups(summary(one), view)
  return Object.fromEntries((set?.stats ?? []).map(({ name, ...rest }) => [name, rest]))
}

// Days are UTC days: browsers in the westernmost and the easternmost time zone show the same.
describe.each(['Etc/GMT+12', 'Pacific/Kiritimati'])('in time zone %s', (zone) => {
  beforeEach(() => void vi.stubEnv('TZ', zone))
  afterEach(() => void vi.unstubAllEnvs())

  test('the test runs in its time zone', () => {
    expect(new Date(TODAY).getDate()).toBe(zone === 'Etc/GMT+12' ? 19 : 20)
  })

  test('separates due, late and soon due amounts', () => {
    const one = sums({
      outstanding: { count: 3, amount: 173_522.77 },
      credit: { count: 1, amount: -330.88 },
      pastDue: { count: 2, amount: 59_004.92, oldestDueDate: day('2026-10-30') },
      dueIn30Days: { count: 1, amount: 114_517.85, firstDueDate: day('2026-11-30') },
    })
    expect(statsByName(one)).toEqual({
      Outstanding: {
        amount: 173_522.77,
        note: '3 invoices',
        more: '330.88 in credit',
        view: { filter: { status: ['OPEN', 'PAST DUE'] } },
      },
      'Past due': {
        amount: 59_004.92,
        note: '2 invoices, oldest 21 days',
        isPastDue: true,
        view: { filter: { status: ['PAST DUE'] } },
      },
      'Due in 30 days': {
        amount: 114_517.85,
        note: '1 invoice, on 30 Nov 2026',
        view: {
          filter: { status: ['OPEN'] },
          minDueDate: TODAY,
          maxDueDate: day('2026-12-20'),
        },
      },
    })
  })

  test('counts an invoice of the last day of October in October', () => {
    expect(statsByName(sums({}, { '2026-09': 100, '2026-10': 106.2 }))['Billed in October']).toEqual({
      amount: 106.2,
      note: '2 invoices',
      change: { text: '+6.2% on September', explained: '/invoices/explain?month=2026-10' },
      view: { minCreationTime: day('2026-10-01'), maxCreationTime: day('2026-10-31') },
    })
  })
})

describe('past due', () => {
  test('shows the days of a single late invoice, the number of several, and none', () => {
    const pastDueStat = (count: number, oldestDueDate?: number) =>
      statsByName(sums({ pastDue: { count, amount: 1, ...(oldestDueDate ? { oldestDueDate } : {}) } }))[
        'Past due'
      ]
    expect(pastDueStat(1, day('2026-11-19'))?.note).toBe('1 invoice, 1 day')
    expect(pastDueStat(1200, day('2020-11-19'))?.note).toBe('1,200 invoices, oldest 2,192 days')
    expect(pastDueStat(0)).toEqual({ amount: 1, note: 'none' })
  })

  test('links to the late invoices of the filtered view, starting on the first page', () => {
    const view = { filter: { platform: ['own'], status: ['OPEN', 'PAST DUE'] }, search: 'IN', pageToken: 'x' }
    const pastDue = { count: 1, amount: 1, oldestDueDate: day('2026-11-01') }
    expect(statsByName(sums({ pastDue }), view)['Past due']?.view).toEqual({
      filter: { platform: ['own'], status: ['PAST DUE'] },
      search: 'IN',
    })
  })

  test('links to the invoices of its own currency where there are several', () => {
    const pastDue = { count: 4, amount: 1, oldestDueDate: day('2026-08-29') }
    const [, usd] = statGroups(summary(sums({ currency: 'EUR' }), sums({ pastDue })), { search: 'IN' })
    const pastDueUsd = usd?.stats.find(({ name }) => name === 'Past due')
    expect(pastDueUsd?.note).toBe('4 invoices, oldest 83 days')
    expect(pastDueUsd?.view).toEqual({ search: 'IN', filter: { currency: ['USD'], status: ['PAST DUE'] } })
  })
})

describe('soon due', () => {
  const dueIn30Days = { count: 2, amount: 1, firstDueDate: day('2026-11-30') }
  const dueView = (view: View) => statsByName(sums({ dueIn30Days }), view)['Due in 30 days']?.view

  test('stays within the due dates of the view', () => {
    expect(dueView({ minDueDate: day('2026-11-25'), maxDueDate: day('2027-03-01') })).toEqual({
      filter: { status: ['OPEN'] },
      minDueDate: day('2026-11-25'),
      maxDueDate: day('2026-12-20'),
    })
  })
})

describe('billed in the newest month', () => {
  const note = (billed: Record<string, number>, view: View = {}) =>
    Object.entries(statsByName(sums({}, billed), view))
      .filter(([name]) => name.startsWith('Billed'))
      .map(([name, { note, change }]) => `${name}: ${[note, change?.text].filter(Boolean).join(', ')}`)[0]

  test.each<[Record<string, number>, string | undefined]>([
    [{ '2026-09': 200, '2026-10': 100 }, 'Billed in October: 2 invoices, −50.0% on September'],
    [{ '2026-09': 200, '2026-10': 200.01 }, 'Billed in October: 2 invoices, as in September'],
    [{ '2026-09': 1, '2026-10': 51 }, 'Billed in October: 2 invoices, +5,000.0% on September'],
    // Nothing to compare with, a month below zero, or a month that is not over.
    [{ '2026-08': 200, '2026-10': 100 }, 'Billed in October: 2 invoices'],
    [{ '2026-10': 100 }, 'Billed in October: 2 invoices'],
    [{ '2026-09': -5, '2026-10': 100 }, 'Billed in October: 2 invoices'],
    [{ '2026-09': 5, '2026-10': -100 }, 'Billed in October: 2 invoices'],
    [{ '2026-10': 100, '2026-11': 10 }, 'Billed in November so far: 2 invoices'],
    [{ '2024-12': 10, '2025-01': 11 }, 'Billed in January 2025: 2 invoices, +10.0% on December'],
    [{}, undefined],
  ])('%j is %s', (billed, expected) => {
    expect(note(billed)).toBe(expected)
  })

  test.each<[View, string]>([
    [{ filter: { platform: ['web-services'] } }, '2 invoices, +10.0% on September'],
    [
      { minCreationTime: day('2026-09-01'), maxCreationTime: day('2026-10-31') },
      '2 invoices, +10.0% on September',
    ],
    [{ minCreationTime: day('2026-09-02') }, '2 invoices'],
    [{ maxCreationTime: day('2026-10-30') }, '2 invoices'],
    [{ filter: { status: ['OPEN'] } }, '2 invoices'],
    [{ search: 'IN' }, '2 invoices'],
  ])('compares two months where %j includes both completely', (view, expected) => {
    expect(note({ '2026-09': 10, '2026-10': 11 }, view)).toBe(`Billed in October: ${expected}`)
  })
})

test('several currencies have the same figures, never added together', () => {
  const usd = sums({ totalAmount: 500 }, { '2026-09': 100, '2026-10': 110 })
  const jpy = sums({ currency: 'JPY', count: 1, totalAmount: 85_300 }, { '2026-09': 85_300 })
  const [one, other] = statGroups(summary(usd, jpy), {})
  expect([one?.currency, other?.currency]).toEqual(['USD', 'JPY'])
  const names = ['Total', 'Outstanding', 'Past due', 'Due in 30 days', 'Billed in October']
  expect(one?.stats.map(({ name }) => name)).toEqual(names)
  expect(other?.stats.map(({ name }) => name)).toEqual(names)
  expect(other?.stats.map(({ amount }) => amount)).toEqual([85_300, 0, 0, 0, 0])
  expect(other?.stats[0]?.note).toBe('1 invoice')
  expect(statGroups(summary(), {})).toEqual([])
})
