import { describe, expect, test } from 'vitest'
import { patience, SLOWEST } from './pace.ts'

/** For how many of so many seconds a client is waited for that takes so many bytes in each. */
function seconds(bytesEach: number, most: number, everySeconds = 1): number {
  const { took, left } = patience(SLOWEST)
  for (let at = everySeconds; at <= most; at += everySeconds) {
    if (left() < everySeconds * 1000) return at - everySeconds + left() / 1000
    took(bytesEach * everySeconds, everySeconds * 1000)
  }
  return most
}

describe('patience', () => {
  test.each([
    ['takes nothing', 0, 90],
    ['takes one byte a second', 1, 90],
    ['takes 5 kB a second', 5_000, 90],
    ['takes 6 kB a second', 6_000, 600],
    ['takes 20 kB a second', 20_000, 600],
  ])('with a client that %s', (_, bytes, expected) => {
    expect(seconds(bytes, 600)).toBe(expected)
  })

  test('with one whose bytes are seen in large steps', () => {
    expect(seconds(20_000, 600, 75)).toBe(600)
    expect(seconds(5_000, 600, 75)).toBe(90)
  })

  test('does not come back by a first burst', () => {
    const { took, left } = patience(SLOWEST)
    took(100 * SLOWEST.bytes, 0)
    took(1, 89_999)
    expect(left()).toBe(1)
    took(1, 5)
    expect(left()).toBe(0)
  })

  test('does not end by what we need ourselves', () => {
    const { took, left } = patience(SLOWEST)
    for (let chunk = 0; chunk < 1000; chunk++) took(1, 0)
    expect(left()).toBe(SLOWEST.within)
  })
})
