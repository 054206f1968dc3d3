import { SocketAddress } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalAddress, networkOf } from './addresses.ts'

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
])('%j is no address', (text) => {
  expect(canonicalAddress(text)).toBe('')
  expect(networkOf('')).toBe('')
})

test('all addresses of a /64 are of one network, however they are written, and others of another', () => {
  const group = fc.oneof(fc.constant(0), fc.nat(0xffff)).map((number) => number.toString(16))
  const four = fc.array(group, { minLength: 4, maxLength: 4 })
  const plain = (groups: string[]) => groups.join(':')
  const short = (groups: string[]) => new SocketAddress({ address: plain(groups), family: 'ipv6' }).address
  fc.assert(
    fc.property(four, four, four, four, (net, other, host, another) => {
      // That of IPv4 addresses written as IPv6 is no network of its own.
      fc.pre(plain(net) !== '0:0:0:0' && plain(other) !== '0:0:0:0')
      const of = (groups: string[]) => networkOf(canonicalAddress(plain(groups)))
      expect(of([...net, ...host])).toBe(networkOf(canonicalAddress(short([...net, ...another]))))
      expect(of([...net, ...host]) === of([...other, ...host])).toBe(plain(net) === plain(other))
    }),
  )
})
