import { describe, expect, it } from 'vitest'
import { networkOf, plainAddress } from './network.ts'
import { waitAfter, waitTable } from './rules.ts'

describe('the wait before another attempt', () => {
  it.each([
    ['place', 0, 0],
    ['place', 4, 0],
    ['place', 5, 5],
    ['place', 9, 120],
    ['place', 12, 900],
    ['place', 1_000_000, 900],
    ['account', 0, 0],
    ['account', 19, 0],
    ['account', 20, 30],
    ['account', 45, 120],
    ['account', 100, 900],
    ['account', 1_000_000, 900],
  ] as const)('at the budget of the %s after %i failures: %i s', (budget, failures, seconds) => {
    expect(waitAfter(failures, budget)).toBe(seconds)
  })

  it.each(['place', 'account'] as const)('of the %s grows, and its table says the same', (budget) => {
    const table = waitTable(budget)
    expect(table).toEqual(table.toSorted((a, b) => a - b))
    for (const [failures, seconds] of table.entries()) expect(waitAfter(failures, budget)).toBe(seconds)
    expect(table.at(-1)).toBe(waitAfter(10_000, budget))
  })

  it('lets a day of guessing come to some hundred', () => {
    const inADay = (budget: 'place' | 'account') => {
      let [at, failures] = [0, 0]
      while (at < 86_400) at += waitAfter(++failures, budget)
      return failures
    }
    expect(inADay('place')).toBeLessThan(120)
    expect(inADay('account')).toBeLessThan(220)
  })
})

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['[::FFFF:C000:207]:443', '192.0.2.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1%eth0]:443', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['nonsense', 'nonsense'],
    ['', ''],
    ['no:address', 'no:address'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  it('is told to people as the address itself', () => {
    expect(plainAddress('[2001:DB8:0:0::1]:443')).toBe('2001:db8::1')
    expect(plainAddress('::ffff:192.0.2.7')).toBe('192.0.2.7')
  })
})
