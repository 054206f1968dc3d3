import { beforeEach, expect, test } from 'vitest'
import { forgetFetched, isOld, noteFetched, noteLoaded } from './fetched.ts'

beforeEach(forgetFetched)

test.each([
  [0, false],
  [2_000, false],
  [2_001, true],
  [30_000, true],
  [30_001, false],
])('a page prefetched %i ms ago: old is %s', (age, old) => {
  noteFetched('/assets?a', 1_000_000)
  expect(isOld('/assets?a', 1_000_000 + age)).toBe(old)
  expect(isOld('/assets', 1_000_000 + age)).toBe(false)
})

test('a cached page is not fetched again, so its age keeps growing', () => {
  noteFetched('/assets', 1_000_000)
  noteFetched('/assets', 1_020_000)
  expect(isOld('/assets', 1_021_000)).toBe(true)
  noteFetched('/assets', 1_031_000)
  expect(isOld('/assets', 1_032_000)).toBe(false)
})

test('no page is old after the cache was dropped', () => {
  noteFetched('/assets', 1_000_000)
  forgetFetched()
  expect(isOld('/assets', 1_010_000)).toBe(false)
})

test('a fully loaded page keeps its age, also when it is prefetched', () => {
  noteLoaded('/assets', 1_000_000)
  noteFetched('/assets', 1_000_500)
  expect(isOld('/assets', 1_000_600)).toBe(true)
})
