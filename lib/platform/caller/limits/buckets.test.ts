import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buckets } from './buckets.ts'

const clock = { now: 1000 }
const consumeMany = (limiter: ReturnType<typeof buckets>, name: string, times: number) =>
  Array.from({ length: times }, () => limiter.consume(name)).filter(({ wait }) => wait === 0).length

test('a full bucket is taken at once, and comes back evenly', () => {
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

test('in any time it gives no more than it had and what came back, and no less', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.nat(5000), { minLength: 1, maxLength: 200 }),
      (perMinute, atOnce, pauses) => {
        const limiter = buckets(perMinute, atOnce, () => clock.now)
        let [tokens, admitted] = [atOnce, 0]
        for (const pause of pauses) {
          clock.now += pause
          tokens = Math.min(atOnce, tokens + (pause * perMinute) / 60_000)
          const isAdmitted = limiter.consume('one').wait === 0
          // A token that is just there may be one just not there.
          if (Math.abs(tokens - 1) > 1e-6) expect(isAdmitted).toBe(tokens > 1)
          if (isAdmitted) [tokens, admitted] = [tokens - 1, admitted + 1]
        }
      },
    ),
  )
})

test('a million names take no memory, and nothing from anybody else', () => {
  const limiter = buckets(300, 100, () => clock.now)
  const before = process.memoryUsage().arrayBuffers
  for (let n = 0; n < 1_000_000; n++) {
    limiter.consume(`2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::/64`)
    // At 20,000 a second.
    clock.now += 0.05
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4_000_000)
  expect(consumeMany(limiter, '192.0.2.1', 100)).toBeGreaterThan(90)
})

test('of a thousand that have emptied theirs, none has emptied that of another', () => {
  const limiter = buckets(300, 100, () => clock.now)
  for (let n = 0; n < 1000; n++) consumeMany(limiter, `10.0.${n >> 8}.${n & 255}`, 200)
  const shut = Array.from({ length: 1000 }, (_, n) => limiter.consume(`192.0.${n >> 8}.${n & 255}`)).filter(
    ({ wait }) => wait > 0,
  )
  // One in four thousand shares both of its slots with one of them.
  expect(shut.length).toBeLessThan(10)
})

test('what is said to be left can be taken, and no more', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 1, max: 300 }),
      fc.nat(400),
      (perMinute, atOnce, before) => {
        const limiter = buckets(perMinute, atOnce, () => clock.now)
        consumeMany(limiter, 'one', before)
        const { left } = limiter.consume('one')
        expect(consumeMany(limiter, 'one', atOnce + 1)).toBe(left)
      },
    ),
  )
})
