import { describe, expect, it } from 'vitest'
import { isSameQuery, isViewPath, placed } from './rules.ts'

it.each([
  ['/assets', true],
  ['/activity/events', true],
  ['/members', false],
  ['//elsewhere.example', false],
  ['/assets?filter=x', false],
  ['toString', false],
])('%s is a screen whose views can be saved: %s', (path, expected) => {
  expect(isViewPath(path)).toBe(expected)
})

it.each([
  ['c', 0, 'cab'],
  ['a', 1, 'bac'],
  ['a', 2, 'bca'],
  ['a', 50, 'bca'],
  ['b', 1, 'abc'],
])('%s at position %i results in %s', (id, position, expected) => {
  expect(placed(['a', 'b', 'c'], id, position).join('')).toBe(expected)
})

describe('isSameQuery', () => {
  it.each([
    ['', '', true],
    ['filter=a:b&orderBy=name', 'orderBy=name&filter=a%3Ab', true],
    ['filter=a:b+c', 'filter=a:b%20c', true],
    ['filter=a:b&pageToken=x', 'filter=a:b', true],
    ['filter=a:b', 'filter=a:c', false],
    ['filter=a:b', '', false],
  ])('returns for %s and %s: %s', (one, other, expected) => {
    expect(isSameQuery(one, other)).toBe(expected)
  })
})
