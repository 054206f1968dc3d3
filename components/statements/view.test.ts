import { expect, test } from 'vitest'
import { hrefOf, isSame, toggled, type View, withValues } from './view.ts'

const view: View = { filter: { billingProfile: ['a', 'b'], currency: ['USD'] }, pageToken: 'of this view' }

test('a value is put in or taken out, from the first page on', () => {
  expect(toggled(view, 'billingProfile', 'a')).toEqual({
    filter: { billingProfile: ['b'], currency: ['USD'] },
  })
  expect(toggled(view, 'platform', 'p')).toEqual({ filter: { ...view.filter, platform: ['p'] } })
  expect(withValues({ filter: { currency: ['USD'] }, maxResults: 3 }, 'currency', [])).toEqual({
    maxResults: 3,
    filter: undefined,
  })
})

test('its address is the query of the API', () => {
  expect(hrefOf({})).toBe('/invoices/statement')
  expect(hrefOf(toggled({}, 'currency', 'USD'))).toBe('/invoices/statement?filter=currency:USD')
  expect(hrefOf(view)).toBe(
    '/invoices/statement?filter=billingProfile:a|b|currency:USD&pageToken=of%20this%20view',
  )
})

test.each<[View, boolean]>([
  [{ filter: { currency: ['USD'], billingProfile: ['b', 'a', 'b'] } }, true],
  [{ filter: { billingProfile: ['a', 'b'] } }, false],
  [{ filter: { ...view.filter, platform: ['p'] } }, false],
  [{}, false],
])('%j is the same: %s', (other, same) => {
  expect([isSame(view, other), isSame(other, view)]).toEqual([same, same])
})
