import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buckets } from './buckets.ts'

const clock = { now: 1000 }
const consumeMany = (limiter: ReturnType<typeof buckets>, name: string, times: number) =>
  Array.from({ length: times }, () => limiter.consume(name)).filter(({ wait }) => wait === 0).length

test('a full bucket admits a burst and is refilled evenly', () => {
  const limiter = buckets(60, 10, () => clock.now)
  expect(consumeMany(limiter, '192.0.2.1', 30)).toBe(10)
  expect(limiter.consume('192.0.2.1')).toEqual({ wait: 1000, left: 0, full: 10_000 })
  clock.now += 999
  expect(limiter.consume('192.0.2.1').wait).toBeGreaterThan(0)
  clock.now += 1
  expect(consumeMany(limiter, '192.0.2.1', 5)).toBe(1)
  clock.now += 3600_000
  expect(consumeMany(limiter, '192.0.2.1', 30)).toBe(10)
  expect(consumeMany(limiter, '192.0.2.2', 30)).toBe(10)
})

test('a bucket admits exactly its burst and the refilled tokens, at any pace', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.nat(5000), { minLength: 1, maxLength: 200 }),
      (perMinute, burst, pauses) => {
        const limiter = buckets(perMinute, burst, () => clock.now)
        let [tokens, admitted] = [burst, 0]
        for (const pause of pauses) {
          clock.now += pause
          tokens = Math.min(burst, tokens + (pause * perMinute) / 60_000)
          const isAdmitted = limiter.consume('one').wait === 0
          // Within a rounding error of one token, either result is right.
          if (Math.abs(tokens - 1) > 1e-6) expect(isAdmitted).toBe(tokens > 1)
          if (isAdmitted) [tokens, admitted] = [tokens - 1, admitted + 1]
        }
      },
    ),
  )
})

test('hundreds of thousands of names take no memory, and no tokens from other names', () => {
  const limiter = buckets(300, 100, () => clock.now)
  const before = process.memoryUsage().arrayBuffers
  for (let n = 0; n < 300_000; n++) {
    limiter.consume(`2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::/64`)
    // 20,000 requests a second.
    clock.now += 0.05
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_200_000)
  expect(consumeMany(limiter, '192.0.2.1', 100)).toBeGreaterThan(90)
})

test('a thousand names that empty their buckets leave the buckets of other names full', () => {
  const limiter = buckets(300, 100, () => clock.now)
  for (let n = 0; n < 1000; n++) consumeMany(limiter, `10.0.${n >> 8}.${n & 255}`, 200)
  const shut = Array.from({ length: 1000 }, (_, n) => limiter.consume(`192.0.${n >> 8}.${n & 255}`)).filter(
    ({ wait }) => wait > 0,
  )
  // A name collides in both rows with a chance of one in four thousand.
  expect(shut.length).toBeLessThan(10)
})

test('the reported rest can be taken, and no more', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 1, max: 300 }),
      fc.nat(400),
      (perMinute, burst, before) => {
        const limiter = buckets(perMinute, burst, () => clock.now)
        consumeMany(limiter, 'one', before)
        const { left } = limiter.consume('one')
        expect(consumeMany(limiter, 'one', burst + 1)).toBe(left)
      },
    ),
  )
})

test('a heavy call takes as many tokens as it weighs, and a full bucket admits any weight', () => {
  const limiter = buckets(60, 10, () => clock.now)
  expect(limiter.consume('weighed', 4)).toEqual({ wait: 0, left: 6, full: 4000 })
  expect(limiter.consume('weighed', 7)).toEqual({ wait: 1000, left: 6, full: 4000 })
  expect(limiter.consume('weighed', 6)).toEqual({ wait: 0, left: 0, full: 10_000 })
  expect(limiter.consume('weighed', 25).wait).toBe(10_000)
  clock.now += 10_000
  expect(limiter.consume('weighed', 25)).toEqual({ wait: 0, left: 0, full: 10_000 })
})
