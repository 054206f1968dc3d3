import { expect, test } from 'vitest'
import { toggled } from '#components/lists/filters/view.ts'
import { hrefOf, isSame, type View } from './view.ts'

const view: View = { filter: { billingProfile: ['a', 'b'], currency: ['USD'] }, pageToken: 'of this view' }

test("the screen's address is the query of the API", () => {
  expect(hrefOf({})).toBe('/invoices/statement')
  expect(hrefOf(toggled<View>({}, 'currency', 'USD'))).toBe('/invoices/statement?filter=currency:USD')
  expect(hrefOf(view)).toBe(
    '/invoices/statement?filter=billingProfile:a|b|currency:USD&pageToken=of%20this%20view',
  )
})

test.each<[View, boolean]>([
  [{ filter: { currency: ['USD'], billingProfile: ['b', 'a', 'b'] } }, true],
  [{ filter: { billingProfile: ['a', 'b'] } }, false],
  [{ filter: { ...view.filter, platform: ['p'] } }, false],
  [{}, false],
])('%j selects the same items: %s', (other, same) => {
  expect([isSame(view, other), isSame(other, view)]).toEqual([same, same])
})
