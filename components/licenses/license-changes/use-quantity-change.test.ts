import { expect, test } from 'vitest'
import type { Asset } from '#lib/licenses/assets/contract.ts'
import { undoOf } from './use-quantity-change.ts'

const changed = (more: object = {}, status = 'ACTIVE'): Asset =>
  ({
    properties: {
      subscription: {
        Status: status,
        Plan: { PlanName: 'FLEXIBLE', IsCommitmentPlan: false, ...more },
        Seats: { NumberOfSeats: 245, MaximumNumberOfSeats: 245, LicensedNumberOfSeats: 182 },
      },
    },
  }) as Asset
const vendor = {
  name: 'built-in',
  label: 'The vendor',
  quantityIsCap: false,
  takesLicenses: false,
  locksIncreases: false,
  ordersTotals: false,
}

test('the undo of a flexible plan restores its former total, for the version of the change', () => {
  const undo = { quantity: 240, from: 245, etag: '"2"' }
  expect(undoOf({ vendor }, changed(), '"2"', 240)).toEqual(undo)
  expect(undoOf({}, changed(), '"2"', 250)).toEqual({ ...undo, quantity: 250 })
})

test.each([
  ['a commitment', { vendor }, changed({ IsCommitmentPlan: true }), '"2"'],
  ['a vendor who binds increases', { vendor: { ...vendor, locksIncreases: true } }, changed(), '"2"'],
  ['a plan that is not active', { vendor }, changed({}, 'SUSPENDED'), '"2"'],
  ['a version that is not known', { vendor }, changed(), undefined],
])('%s has no undo', (_, item, asset, etag) => {
  expect(undoOf(item, asset, etag, 240)).toBeUndefined()
  expect(undoOf(item, asset, etag, 250)).toBeUndefined()
})
