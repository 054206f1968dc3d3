import { expect, test } from 'vitest'
import { choiceFilter, dateFilter, filtersOf } from './filter.tsx'
import { amountFilter } from './typed-filters.tsx'
import type { ListView } from './view.ts'

const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
const options = {
  label: 'Platform',
  several: 'platforms',
  options: ['aws', 'gcp'],
  nameOf: (slug: string) => slug.toUpperCase(),
}

test.each([
  [[], undefined, ''],
  [['aws'], 'AWS', 'AWS'],
  [['aws', 'gcp'], '2 platforms', 'AWS, GCP'],
])('a choice of %j is shown as %s and printed as %s', (selected, value, text) => {
  const filter = choiceFilter({ ...options, selected, onToggle() {}, onClear() {} })
  expect([filter?.value, filter?.text, filter?.off]).toEqual([value, text, 'All platforms'])
})

test('a single value needs no filter, unless it is selected', () => {
  const one = { ...options, options: ['aws'], onToggle() {}, onClear() {} }
  expect(choiceFilter({ ...one, selected: [] })).toBeUndefined()
  expect(choiceFilter({ ...one, selected: [], isFixed: true })?.off).toBe('All platforms')
  expect(choiceFilter({ ...one, options: [], selected: ['gone'] })?.value).toBe('GONE')
})

test('clearing a filter keeps the others, and begins on the first page', () => {
  const view: ListView = { filter: { platform: ['aws'], status: ['OPEN'] }, pageToken: 'next', search: 'x' }
  const views: ListView[] = []
  filtersOf(view, (next) => views.push(next))('platform', options)?.onClear()
  expect(views).toEqual([{ filter: { status: ['OPEN'] }, search: 'x' }])
})

test('a range of days is shown by its name, and printed with its days', () => {
  const today = day('2026-11-29')
  const make = (range: { from?: number; to?: number }) =>
    dateFilter({ label: 'When', range, today, onChange() {} })
  const month = make({ from: day('2026-11-01'), to: day('2026-11-30') })
  expect([month.value, month.text]).toEqual(['This month', '1 Nov 2026 – 30 Nov 2026'])
  expect([make({}).value, make({}).off]).toEqual([undefined, 'All time'])
})

test('a range of amounts is off while both ends are open', () => {
  const make = (range: { from?: string; to?: string }) =>
    amountFilter({ label: 'Amount', hint: '', range, currencies: [], onChange() {} }).value
  expect([make({}), make({ from: '10.50' })]).toEqual([undefined, 'From 10.5'])
})
