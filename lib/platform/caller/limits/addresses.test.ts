import { BlockList, SocketAddress } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { canonicalAddress, canonicalRange, isWithin, networkOf } from './addresses.ts'

test.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
  [' 192.0.2.1:4711 ', '192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1', '192.0.2.1'],
  ['[::ffff:192.0.2.1]:80', '192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::6]:443', '2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::6]', '2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80::1', 'fe80:0:0:0::/64'],
  ['::1', '::1', '0:0:0:0::/64'],
  ['::', '::', '0:0:0:0::/64'],
  ['::192.0.2.1', '::192.0.2.1', '0:0:0:0::/64'],
  ['2001:db8::', '2001:db8::', '2001:db8:0:0::/64'],
])('%j is %s, of %s', (text, address, network) => {
  expect(canonicalAddress(text)).toBe(address)
  expect(networkOf(address)).toBe(network)
})

test.each([
  '',
  'unknown',
  '_hidden',
  '192.0.2',
  '192.0.2.1.1',
  '192.0.2.256',
  '01.2.3.4',
  '::1::',
  'a:80',
  '[',
  '[]',
  '[::1',
])('%j is not an address', (text) => {
  expect(canonicalAddress(text)).toBe('')
  expect(networkOf('')).toBe('')
})

test('the addresses of a /64 share one network in any notation, and others do not', () => {
  const group = fc.oneof(fc.constant(0), fc.nat(0xffff)).map((number) => number.toString(16))
  const four = fc.array(group, { minLength: 4, maxLength: 4 })
  const plain = (groups: string[]) => groups.join(':')
  const short = (groups: string[]) => new SocketAddress({ address: plain(groups), family: 'ipv6' }).address
  fc.assert(
    fc.property(four, four, four, four, (net, other, host, another) => {
      // The network of IPv4-mapped addresses is not accepted as IPv6.
      fc.pre(plain(net) !== '0:0:0:0' && plain(other) !== '0:0:0:0')
      const networkOfGroups = (groups: string[]) => networkOf(canonicalAddress(plain(groups)))
      expect(networkOfGroups([...net, ...host])).toBe(
        networkOf(canonicalAddress(short([...net, ...another]))),
      )
      expect(networkOfGroups([...net, ...host]) === networkOfGroups([...other, ...host])).toBe(
        plain(net) === plain(other),
      )
    }),
  )
})

describe('a network', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7/32'],
    [' 192.0.2.7/24 ', '192.0.2.0/24'],
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['2001:DB8::7', '2001:db8::7/128'],
    ['2001:db8:1:2:3:4:5:6/48', '2001:db8:1::/48'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['::/0', '::/0'],
    ['::1', '::1/128'],
    ['fe80::1/10', 'fe80::/10'],
    ['::ffff:192.0.2.7', '192.0.2.7/32'],
    ['::ffff:192.0.2.7/120', '192.0.2.0/24'],
    ['::ffff:c000:207/96', '0.0.0.0/0'],
  ])('%s is %s', (text, range) => {
    expect(canonicalRange(text)).toBe(range)
    expect(canonicalRange(range)).toBe(range)
  })

  it.each([
    '',
    'anywhere',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.7/33',
    '192.0.2.7/-1',
    '192.0.2.7/',
    '192.0.2.7/24/8',
    '192.0.2.7:80',
    '[2001:db8::1]',
    '[2001:db8::1]:80',
    '2001:db8::/129',
    'fe80::1%eth0',
    '::ffff:192.0.2.7/24',
    '192.0.2.7/0x10',
    '192.0.2.1 192.0.2.2',
  ])('%j is not a network', (text) => {
    expect(canonicalRange(text)).toBeUndefined()
  })
})

describe('an address', () => {
  it.each([
    ['192.0.2.255', ['192.0.2.0/24'], true],
    ['192.0.3.0', ['192.0.2.0/24'], false],
    ['192.0.3.0', ['192.0.2.0/24', '192.0.3.0/32'], true],
    ['2001:db8::9', ['2001:db8::/32'], true],
    ['2001:db9::9', ['2001:db8::/32'], false],
    ['192.0.2.1', ['::/0'], false],
    ['::1', ['0.0.0.0/0'], false],
    ['', ['0.0.0.0/0', '::/0'], false],
    ['192.0.2.1', [], false],
  ])('%s in %j: %s', (address, ranges, is) => {
    expect(isWithin(address, ranges)).toBe(is)
  })

  it("is within the ranges that Node's BlockList puts it in", () => {
    const v4 = fc.tuple(fc.ipV4(), fc.ipV4(), fc.nat(32), fc.constant('ipv4' as const))
    const v6 = fc.tuple(fc.ipV6(), fc.ipV6(), fc.nat(128), fc.constant('ipv6' as const))
    fc.assert(
      fc.property(fc.oneof(v4, v6), ([address, network, prefix, family]) => {
        const [one, other] = [canonicalAddress(address), canonicalAddress(network)]
        // BlockList counts IPv4-mapped IPv6 as another family than its text.
        fc.pre(one !== '' && [one, other].every((text) => text.includes(':') === (family === 'ipv6')))
        const list = new BlockList()
        list.addSubnet(other, prefix, family)
        const range = canonicalRange(`${network}/${prefix}`) ?? ''
        expect([one, isWithin(one, [range])]).toEqual([one, list.check(one, family)])
        expect(isWithin(other, [range])).toBe(true)
      }),
    )
  })
})
