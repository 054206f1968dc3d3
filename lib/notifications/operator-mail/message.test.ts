import { expect, test } from 'vitest'
import type { UnresolvedChange } from '#lib/licenses/license-changes/settle-by-hand.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { messageOf } from './message.ts'

const at = new Date('2026-11-22T04:00:00Z')
function one(number: number, state = 'UNKNOWN', values: object = {}): UnresolvedChange {
  const change = {
    id: `change-${number}`,
    assetId: 'suite-1',
    fromQuantity: 20,
    toQuantity: 30,
    state,
    actorName: 'Ana',
    createdAt: at,
    settledAt: state === 'UNCLEAR' ? at : null,
    vendorReason: null,
    ...values,
  }
  const age = 1000 - number
  const base = { customerId: newCustomerId('c'), age, isOverdue: true, isRepeatable: false }
  const location = { vendorAccount: 'emea', vendorCustomerId: 'C01', subscriptionId: 'S-1', skuId: 'K' }
  return { ...base, vendor: { label: 'Vendor' }, location, change } as unknown as UnresolvedChange
}

test('lists fifty changes, open ones and the oldest first, and counts the others', () => {
  const many = Array.from({ length: 60 }, (_, n) => one(n, n % 2 === 0 ? 'UNCLEAR' : 'UNKNOWN'))
  const { subject, text } = messageOf(many.toReversed())
  expect(subject).toBe('Changes of licenses: 30 open for too long, 30 unclear')
  const named = [...text.matchAll(/Change change-(\d+)/g)].map(([, n]) => Number(n))
  expect([named.length, named[0], named[29], named[30]]).toEqual([50, 1, 59, 0])
  expect(text).toContain('And 10 more:\n  npm run -s admin -- changes list\n')
})

test('keeps text by others on its line', () => {
  const { text } = messageOf([
    one(1, 'UNCLEAR', { actorName: 'Ana\r\nBcc: x', vendorReason: 'no\n* another' }),
  ])
  expect(text).toContain('Asked for by Ana Bcc: x at 2026-11-22 04:00 UTC, unclear since')
  expect(text).toContain('  no * another\n')
  expect(text).toContain('\n  There: account emea, customer C01, subscription S-1\n')
})
