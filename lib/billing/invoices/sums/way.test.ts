import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays, DAY_MS, dayOf, epochOfDay } from '#lib/platform/values/days.ts'
import { type Days, daysOf, type Selection } from '../selection.ts'
import { byRows, wayOf } from './way.ts'

const at = (day: string) => epochOfDay(day)
const between = (from: string, to: string): Selection => ({
  minCreationTime: at(from),
  maxCreationTime: at(to),
})

describe('wayOf', () => {
  it.each<[string, Selection]>([
    ['no filter at all', {}],
    ['the filters that the sums know', { filter: { platform: ['a'], status: ['OPEN'], issuer: ['b'] } }],
    ['profiles and currencies', { filter: { billingProfile: ['default'], currency: ['USD'] } }],
    ['issued invoices', { filter: { state: ['issued'] } }],
    ['an empty search', { search: '' }],
  ])('asks the sums for %s', (_, selection) => {
    expect(wayOf(selection)).toEqual({ months: { from: undefined, to: undefined }, rows: [] })
  })

  it.each<[string, Selection]>([
    ['a search', { search: 'IN-1' }],
    ['a due date', { filter: { dueDate: ['0'] } }],
    ['named invoices', { ids: [] }],
    ['drafts', { filter: { state: ['draft'] } }],
    ['voided and issued ones', { filter: { state: ['issued', 'voided'] } }],
    ['a range within a month', between('2026-10-02', '2026-10-31')],
    ['a range within two months that has none', between('2026-10-02', '2026-11-29')],
    ['a range that ends before it begins', between('2026-11-01', '2026-09-30')],
    ['what no month begins after', { minCreationTime: at('9999-12-05') }],
  ])('reads the invoices for %s', (_, selection) => {
    expect(wayOf(selection)).toEqual(byRows(selection))
  })

  it.each<[string, Selection, Days, Days[]]>([
    ['one month', between('2026-10-01', '2026-10-31'), { from: '2026-10-01', to: '2026-10-31' }, []],
    ['from a month on', { minCreationTime: at('2024-02-01') }, { from: '2024-02-01', to: undefined }, []],
    ['up to the leap day', { maxCreationTime: at('2024-02-29') }, { from: undefined, to: '2024-02-29' }, []],
    [
      'up to the day before the leap day',
      { maxCreationTime: at('2024-02-28') },
      { from: undefined, to: '2024-01-31' },
      [{ from: '2024-02-01', to: '2024-02-28' }],
    ],
    [
      'a range that cuts both',
      between('2026-08-31', '2026-11-01'),
      { from: '2026-09-01', to: '2026-10-31' },
      [
        { from: '2026-08-31', to: '2026-08-31' },
        { from: '2026-11-01', to: '2026-11-01' },
      ],
    ],
    [
      'a begin within a day, which leaves that day out',
      { minCreationTime: at('2026-09-30') + 1 },
      { from: '2026-10-01', to: undefined },
      [],
    ],
  ])('takes whole months from the sums and the rest from invoices: %s', (_, selection, months, rows) => {
    expect(wayOf(selection)).toEqual({ months, rows })
  })

  it('has each day of a range once, whatever the range', () => {
    const time = fc.option(fc.integer({ min: 0, max: 900 * DAY_MS }), { nil: undefined })
    fc.assert(
      fc.property(time, time, (minCreationTime, maxCreationTime) => {
        const selection = { minCreationTime, maxCreationTime }
        const { months, rows } = wayOf(selection)
        for (let n = -1; n < 902; n++) {
          const day = dayOf(n * DAY_MS)
          const month = `${day.slice(0, 7)}-01`
          const times = [
            // As the statements ask: a month by its first day.
            months && isIn(month, months),
            ...rows.map((days) => isIn(day, days)),
          ].filter((is) => is)
          expect([day, times.length]).toEqual([day, isIn(day, daysOf(selection)) ? 1 : 0])
        }
      }),
    )
  })

  it('cuts no month longer than a month', () => {
    const { rows } = wayOf(between('2020-01-02', '2026-12-30'))
    for (const { from = '', to = '' } of rows) expect(to < addDays(from, 31)).toBe(true)
  })
})

function isIn(day: string, { from = day, to = day }: Days): boolean {
  return day >= from && day <= to
}
