import { expect, test } from 'vitest'
import { draftOf, saveDraft } from './drafts.ts'

test('a typed total is remembered for its asset', () => {
  saveDraft('one', 245, 240)
  expect(draftOf('one', 240)).toBe(245)
  expect(draftOf('other', 240)).toBeUndefined()
})

test('a draft is forgotten once the purchased total changes, even if the total changes back', () => {
  saveDraft('one', 245, 240)
  expect(draftOf('one', 250)).toBeUndefined()
  expect(draftOf('one', 240)).toBeUndefined()
})

test.each([undefined, null, 240])('%s is no draft', (quantity) => {
  saveDraft('one', 245, 240)
  saveDraft('one', quantity, 240)
  expect(draftOf('one', 240)).toBeUndefined()
})
