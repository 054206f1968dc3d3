import { expect, test } from 'vitest'
import { draftOf, keepDraft } from './drafts.ts'

test('a typed total is remembered for its asset', () => {
  keepDraft('one', 245, 240)
  expect(draftOf('one', 240)).toBe(245)
  expect(draftOf('other', 240)).toBeUndefined()
})

test('it is forgotten once another total stands there, whatever stands there later', () => {
  keepDraft('one', 245, 240)
  expect(draftOf('one', 250)).toBeUndefined()
  expect(draftOf('one', 240)).toBeUndefined()
})

test.each([undefined, null, 240])('%s is no draft', (quantity) => {
  keepDraft('one', 245, 240)
  keepDraft('one', quantity, 240)
  expect(draftOf('one', 240)).toBeUndefined()
})
