import { expect, test } from 'vitest'
import { z } from 'zod'
import { changed, cleared, toggled } from '#components/lists/filters/view.ts'
import * as contract from '#lib/licenses/license-changes/contract.ts'
import { CHANGE_STATES } from '#lib/licenses/license-changes/rules.ts'
import {
  activeFilters,
  hasOutcome,
  hrefOf,
  isFiltered,
  OUTCOMES,
  rangeOf,
  toggledOutcome,
  withRange,
} from './view.ts'

const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
const view = {
  filter: { asset: ['workspace-suite-1'], state: ['APPLIED'] },
  minCreationTime: day('2026-11-01'),
  maxResults: 10,
  pageToken: 'token',
}
/** Returns the view that the service decodes from an address. */
const understood = (input: Parameters<typeof hrefOf>[0]) =>
  z.decode(
    contract.listLicenseChanges.query,
    Object.fromEntries(new URLSearchParams(hrefOf(input).split('?')[1])),
  )

test('the address is the query of the API', () => {
  expect(hrefOf({})).toBe('/activity')
  expect(hrefOf(changed(view, {}))).toBe(
    '/activity?filter=asset:workspace-suite-1|state:APPLIED&minCreationTime=1793491200&maxResults=10',
  )
  expect(understood(view)).toEqual(view)
})

test('an outcome is a group of states, and each state is in one outcome', () => {
  expect(OUTCOMES.flatMap(({ states }) => states).sort()).toEqual([...CHANGE_STATES].sort())
  const outcome = (name: string) => OUTCOMES.find((one) => one.name === name) ?? { name, states: [] }
  const open = toggledOutcome({ filter: { state: ['APPLIED', 'SENT'] } }, outcome('Open'))
  expect(hrefOf(open)).toBe('/activity?filter=state:APPLIED|CLAIMED|SENT|UNKNOWN')
  expect(OUTCOMES.filter((one) => hasOutcome(open, one)).map(({ name }) => name)).toEqual(['Open', 'Applied'])
  // Complete outcomes are shown by their chips.
  expect(activeFilters(open)).toEqual([])
  expect(toggledOutcome(toggledOutcome(open, outcome('Open')), outcome('Applied')).filter).toBeUndefined()
  const part = { filter: { state: ['UNKNOWN', 'DRIFT'] } }
  const [active] = activeFilters(part)
  expect([active?.text, active?.without.filter]).toEqual(['Confirming', { state: ['DRIFT'] }])
})

test('a range of days includes all of its last day, and is decoded to the same days', () => {
  const range = { from: day('2026-10-01'), to: day('2026-10-31') }
  const within = withRange(view, range)
  expect(understood(within)).toMatchObject({ maxCreationTime: day('2026-11-01') - 1 })
  expect(rangeOf(understood(within))).toEqual(range)
  expect(within).not.toHaveProperty('pageToken')
  expect(rangeOf({ maxCreationTime: 8_999_999_999_999_000 }).to).toBe(day('9999-12-31'))
})

test('each filter without a control is named, with the view without it', () => {
  const [active] = activeFilters(toggled(view, 'state', 'SENT'))
  expect(active?.without).toMatchObject({ filter: view.filter, minCreationTime: view.minCreationTime })
  expect(activeFilters(toggled(view, 'state', 'NEW_ONE')).map(({ text }) => text)).toContain('New one')
  expect([isFiltered(view), isFiltered(cleared(view)), isFiltered({ maxResults: 5 })]).toEqual([
    true,
    false,
    false,
  ])
})
