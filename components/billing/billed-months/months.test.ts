import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { compactText, labelledMonths } from './axes.tsx'
import { barsOf, keyOf, MAX_MONTHS, nextPoint, platformsOf, viewOfMonth } from './months.ts'

const month = (text: string) => Date.parse(`${text}-01T00:00:00Z`)
const monthOf = (at: number) => new Date(at).toISOString().slice(0, 7)
type Amounts = Record<string, number>
const billed = (months: Record<string, Amounts>) =>
  Object.entries(months).map(([text, amounts]) => ({
    month: month(text),
    count: 1,
    totalAmount: Object.values(amounts).reduce((sum, amount) => sum + amount, 0),
    platforms: Object.entries(amounts).map(([platform, totalAmount]) => ({
      platform,
      count: 1,
      totalAmount,
    })),
  }))

describe('barsOf', () => {
  test('stacks charges upwards and credits downwards, each platform in its place', () => {
    const [bar] = barsOf(
      billed({ '2026-10': { 'a-slug': 5, 'office-suite': -2, 'web-services': 10, zebra: -1 } }),
    )
    expect(bar?.segments.map(({ platform, low, high }) => [platform, low, high])).toEqual([
      ['web-services', 0, 10],
      ['office-suite', -2, 0],
      ['a-slug', 10, 15],
      ['zebra', -3, -2],
    ])
  })

  test('includes a month without bills, also across the end of a year', () => {
    const bars = barsOf(billed({ '2025-11': { x: 1 }, '2026-02': { x: 2 } }))
    expect(bars.map((bar) => [monthOf(bar.month), bar.amount])).toEqual([
      ['2025-11', 1],
      ['2025-12', 0],
      ['2026-01', 0],
      ['2026-02', 2],
    ])
  })

  test('returns one month, none, and at most five years', () => {
    expect(barsOf(billed({ '2026-10': { x: 1 } }))).toHaveLength(1)
    expect(barsOf([])).toEqual([])
    const bars = barsOf(billed({ '1970-01': { x: 1 }, '2026-10': { x: 1 } }))
    expect([bars.length, monthOf(bars[0]?.month ?? 0)]).toEqual([MAX_MONTHS, '2021-11'])
    const far = barsOf(billed({ '0001-01': { x: 1 }, '9999-12': { x: 1 } }))
    expect([far.length, monthOf(far.at(-1)?.month ?? 0)]).toEqual([MAX_MONTHS, '9999-12'])
  })

  test('returns the same months in every time zone', () => {
    for (const zone of ['Etc/GMT+12', 'Pacific/Kiritimati']) {
      vi.stubEnv('TZ', zone)
      const bars = barsOf(billed({ '2026-02': { x: 1 }, '2026-04': { x: 1 } }))
      expect(bars.map((bar) => monthOf(bar.month))).toEqual(['2026-02', '2026-03', '2026-04'])
    }
    vi.unstubAllEnvs()
  })
})

test('platforms have a fixed order, with the known ones first', () => {
  const months = billed({
    '2026-09': { zebra: 1, 'office-suite': 1, constructor: 1 },
    '2026-10': { 'cloud-platform': 1 },
  })
  expect(platformsOf(months)).toEqual(['cloud-platform', 'office-suite', 'constructor', 'zebra'])
})

describe('the view of a bar', () => {
  const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
  test('selects the month and the platform, starting on the first page', () => {
    expect(viewOfMonth({ pageToken: 'x', orderBy: 'dueDate asc' }, month('2026-02'), 'own')).toEqual({
      orderBy: 'dueDate asc',
      filter: { platform: ['own'] },
      minCreationTime: day('2026-02-01'),
      maxCreationTime: day('2026-02-28'),
    })
  })
  test('stays within the view, so its rows match the bar', () => {
    const view = { minCreationTime: day('2026-02-10'), maxCreationTime: day('2026-02-20'), search: 'IN' }
    expect(viewOfMonth(view, month('2026-02'))).toEqual(view)
  })
})

describe('the arrow keys', () => {
  const bars = barsOf(
    billed({
      '2026-01': { 'web-services': 1, zebra: 1 },
      '2026-03': { zebra: 2 },
      '2026-04': { 'web-services': 1 },
    }),
  )
  const [jan, mar, apr] = [month('2026-01'), month('2026-03'), month('2026-04')]
  test.each([
    ['ArrowRight', { month: jan, platform: 'zebra' }, { month: mar, platform: 'zebra' }],
    ['ArrowRight', { month: mar, platform: 'zebra' }, { month: apr, platform: undefined }],
    ['ArrowLeft', { month: mar }, { month: jan, platform: undefined }],
    ['Home', { month: apr }, { month: jan, platform: undefined }],
    ['End', { month: jan, platform: 'web-services' }, { month: apr, platform: 'web-services' }],
    ['ArrowUp', { month: jan }, { month: jan, platform: 'web-services' }],
    ['ArrowUp', { month: jan, platform: 'web-services' }, { month: jan, platform: 'zebra' }],
    ['ArrowDown', { month: jan, platform: 'web-services' }, { month: jan, platform: undefined }],
    ['ArrowUp', { month: jan, platform: 'zebra' }, undefined],
    ['ArrowDown', { month: jan }, undefined],
    ['ArrowLeft', { month: jan }, undefined],
    ['ArrowRight', { month: apr }, undefined],
    ['Enter', { month: jan }, undefined],
    ['toString', { month: jan }, undefined],
  ])('%s from %j leads to %j', (key, from, to) => {
    expect(nextPoint(bars, from, key)).toEqual(to)
  })

  test('reach every month and platform from every other one', () => {
    const all = bars.flatMap(({ month, segments }) =>
      segments.length === 0 ? [] : [{ month }, ...segments.map(({ platform }) => ({ month, platform }))],
    )
    const visited = new Set<string>()
    const queue = [{ month: apr }]
    for (let from = queue.pop(); from; from = queue.pop()) {
      if (visited.has(keyOf(from))) continue
      visited.add(keyOf(from))
      for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
        const to = nextPoint(bars, from, key)
        if (to) queue.push(to)
      }
    }
    expect([...visited].sort()).toEqual(all.map(keyOf).sort())
  })
})

describe('labels of the axes', () => {
  test.each([
    [0, '0'],
    [0.25, '0.25'],
    [500, '500'],
    [1500, '1.5k'],
    [-40_000, '−40k'],
    [2_500_000, '2.5M'],
    [1e12, '1T'],
    [-5e14, '−500T'],
  ])('%d is %s', (amount, text) => {
    expect(compactText(amount)).toBe(text)
  })

  test('label as many months as fit, and January with its year', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: MAX_MONTHS }),
        fc.integer({ min: 0, max: 700 }),
        (count, from) => {
          const months = Array.from({ length: count }, (_, index) => Date.UTC(1990, from + index))
          const labels = labelledMonths(months)
          expect(labels.length).toBeGreaterThan(0)
          expect(labels.length).toBeLessThanOrEqual(18)
          expect(labels.filter(({ onPhones }) => onPhones).length).toBeLessThanOrEqual(7)
          const januaries = months.filter((one) => new Date(one).getUTCMonth() === 0)
          const withYear = labels.filter((label) => label.withYear).map((label) => label.month)
          expect(withYear).toEqual(januaries.length > 0 ? januaries : [labels[0]?.month])
        },
      ),
    )
  })
})
