import { describe, expect, test } from 'vitest'
import type { Observed } from '../vendor.ts'
import { predictOutcome } from './declaration.ts'
import { observedOf } from './subscription.ts'

function observed(more: object = {}): Observed {
  const raw = { id: 's', offerId: 'P:1:A', quantity: 25, status: 'active', termDuration: 'P1M', ...more }
  const json = JSON.stringify({ ...raw, attributes: { etag: 'abc' } })
  const read = observedOf(json, { customerId: 'c', assigned: 7 })
  return read ?? expect.fail('It was not understood.')
}
const until = (quantity: number, day: string) => ({ quantity, allowedUntilDateTime: `${day}T08:15:00Z` })

describe('returnable licenses', () => {
  const refundableQuantity = {
    totalQuantity: 5,
    details: [until(2, '2026-11-24'), until(3, '2026-11-27'), until(0, '2026-11-28')],
  }

  test('allow a decrease, and an increase is always allowed', () => {
    const seats = { maximum: 20, assigned: 7 }
    const before = observed({ refundableQuantity })
    expect(predictOutcome(before, 20)).toEqual({ kind: 'applied', seats: { ...seats, purchased: 20 } })
    expect(predictOutcome(before, 26)).toMatchObject({
      kind: 'applied',
      seats: { purchased: 26, maximum: 26 },
    })
  })

  test('are limited in number and time', () => {
    expect(predictOutcome(observed({ refundableQuantity }), 19)).toEqual({
      kind: 'rejected',
      code: 'vendor_rejected',
      reason:
        'Microsoft takes back at most 5 of these licenses: 2 until 2026-11-24 08:15 UTC, 3 until 2026-11-27 08:15 UTC. Choose 20 or more.',
    })
  })

  test('are none until the end of the term', () => {
    const none = { refundableQuantity: { totalQuantity: 0, details: [] }, commitmentEndDate: '2026-12-19' }
    const reason =
      'Microsoft takes none of these licenses back before the term ends on 2026-12-19. Choose 25 or more.'
    expect(predictOutcome(observed(none), 24)).toMatchObject({ kind: 'rejected', reason })
  })

  test.each([{}, { refundableQuantity: null }, { refundableQuantity: 'some' }, { refundableQuantity: [] }])(
    'are left to the vendor for %j',
    (more) => {
      expect(predictOutcome(observed(more), 1)).toMatchObject({ kind: 'applied' })
    },
  )

  test('are known for a subscription stored as JSON, too', () => {
    const stored = JSON.parse(JSON.stringify(observed({ refundableQuantity })))
    expect(predictOutcome(stored, 19)).toMatchObject({ kind: 'rejected' })
    expect(predictOutcome({ ...stored, own: 'nonsense' }, 19)).toMatchObject({ kind: 'applied' })
  })
})
