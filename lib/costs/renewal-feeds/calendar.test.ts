import { describe, expect, test } from 'vitest'
import type { Renewal } from '#lib/costs/renewals/contract.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { calendarOf } from './calendar.ts'

const TODAY = Date.parse('2026-11-23')
const renewal = (overrides: Partial<Renewal> = {}): Renewal => ({
  asset: { id: 'workspace-suite-1', name: 'Business Plus', type: 'workspace-suite' },
  domain: 'northwind.example',
  planName: 'ANNUAL_MONTHLY_PAY',
  time: Date.parse('2026-12-03'),
  decideBy: Date.parse('2026-12-02'),
  purchased: 120,
  assigned: 100,
  idle: 20,
  happens: 'Renews',
  url: 'https://console.example/assets/workspace-suite-1',
  ...overrides,
})

/** Lines as RFC 5545 unfolds them. */
const linesOf = (renewals: Renewal[], { name = 'Northwind', today = TODAY, customer = 'own' } = {}) => {
  const input = {
    customerId: customer as CustomerId,
    customerName: name,
    baseUrl: 'https://console.example',
    today,
  }
  const text = calendarOf(renewals, input)
  expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true)
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  return text.replaceAll('\r\n ', '').split('\r\n')
}
const valuesOf = (lines: string[], name: string) =>
  lines
    .filter((line) => line.startsWith(`${name}:`) || line.startsWith(`${name};`))
    .map((line) => line.slice(line.indexOf(':') + 1))

describe('a calendar', () => {
  test('contains the renewal day and the last day to decide, each as a whole day', () => {
    const lines = linesOf([renewal()])
    expect(valuesOf(lines, 'SUMMARY')).toEqual([
      'Last day to decide: Business Plus\\, 120 licenses',
      'Business Plus: Renews\\, 120 licenses',
    ])
    expect(lines.filter((line) => line.startsWith('DTSTART'))).toEqual([
      'DTSTART;VALUE=DATE:20261202',
      'DTSTART;VALUE=DATE:20261203',
    ])
    expect(valuesOf(lines, 'DESCRIPTION')[0]).toBe(
      'Renews on 3 Dec 2026: 120 licenses.\\n100 assigned\\, 20 unassigned.\\nLast day to decide: 2 Dec 2026.\\nFor northwind.example.',
    )
  })

  test('omits a last day to decide that is past', () => {
    expect(valuesOf(linesOf([renewal()], { today: Date.parse('2026-12-03') }), 'SUMMARY')).toEqual([
      'Business Plus: Renews\\, 120 licenses',
    ])
    expect(valuesOf(linesOf([renewal()], { today: Date.parse('2026-12-02') }), 'SUMMARY')).toHaveLength(2)
  })

  test('contains prices where visible, and the ordered total', () => {
    const cost = { amount: 2160, currency: 'USD', per: 'month' } as const
    const text = linesOf([renewal({ cost, idleCost: { ...cost, amount: 360 }, nextTotal: 96 })]).join('\n')
    expect(text).toContain('2\\,160.00 USD a month at the last price.')
    expect(text).toContain('20 unassigned\\, 360.00 USD a month.')
    expect(text).toContain('120 licenses\\, 96 from 3 Dec 2026')
    expect(linesOf([renewal()]).join('\n')).not.toMatch(/USD|price/)
  })

  test('keeps an event’s UID when figures and day change, unique among customers', () => {
    const before = valuesOf(linesOf([renewal()]), 'UID')
    const moved = renewal({
      purchased: 9,
      time: Date.parse('2026-12-20'),
      decideBy: Date.parse('2026-12-19'),
    })
    expect(valuesOf(linesOf([moved], { today: Date.parse('2026-12-01') }), 'UID')).toEqual(before)
    expect(new Set(before).size).toBe(2)
    const other = renewal({ asset: { ...renewal().asset, id: 'workspace-suite-2' } })
    expect(valuesOf(linesOf([other]), 'UID')).not.toEqual(before)
    expect(valuesOf(linesOf([renewal()], { customer: 'other' }), 'UID')).not.toEqual(before)
    expect(before.join()).not.toContain('workspace-suite')
  })

  test('is identical to the byte within a day, as long as nothing changes', () => {
    expect(linesOf([renewal()])).toEqual(linesOf([renewal()]))
  })

  test('is valid without renewals', () => {
    const lines = linesOf([])
    expect([lines[0], lines.at(-1), lines.includes('BEGIN:VEVENT')]).toEqual([
      'BEGIN:VCALENDAR',
      'END:VCALENDAR',
      false,
    ])
  })

  test.each([
    '\r\nBEGIN:VEVENT\r\nSUMMARY:x',
    '\nX-EVIL:1',
    '\rX-EVIL:1',
    '\u2028X',
    'é😀'.repeat(60),
    'a,b;c\\n"d"',
  ])('starts no line of its own for the name %j', (name) => {
    const asset = { ...renewal().asset, name }
    const lines = linesOf([renewal({ asset, domain: name, happens: `Renews (${name})` })], { name })
    const expected =
      /^(BEGIN|END|VERSION|PRODID|METHOD|NAME|X-WR-CALNAME|REFRESH-INTERVAL|X-PUBLISHED-TTL|UID|SEQUENCE|DTSTAMP|DTSTART|X-MICROSOFT[\w-]+|SUMMARY|TRANSP|DESCRIPTION|URL)[:;]/
    expect(lines.filter((line) => !expected.test(line))).toEqual([])
    expect(lines.filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(2)
    expect(valuesOf(lines, 'SUMMARY')).toHaveLength(2)
  })
})
