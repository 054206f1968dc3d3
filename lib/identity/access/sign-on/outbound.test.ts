import { createServer, type Server } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isSpecialAddress, SPECIAL_NETWORKS, WRITTEN_ON } from '#lib/platform/runtime/special-networks.ts'
import { end, listen } from '../../../../test/fakes/issuers/provider.ts'
import { checkIssuerAddress, checkIssuerHost, fetchIssuer } from './outbound.ts'

const servers: Server[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(servers.splice(0).map(end))
})
const fetchUrl = (url: string) =>
  fetchIssuer(url, { method: 'GET', headers: {}, body: undefined, redirect: 'manual' })

describe('fetchIssuer', () => {
  it.each([
    ['http://login.example.com', 'by https'],
    ['http://127.0.0.1:1234', 'by https'],
    ['ftp://login.example.com', 'by https'],
    ['https://127.0.0.1', 'private address'],
    ['https://2130706433', 'private address'],
    ['https://0x7f.1', 'private address'],
    ['https://[::1]', 'private address'],
    ['https://[::ffff:10.0.0.1]', 'private address'],
    ['https://169.254.169.254', 'private address'],
  ])('sends no request to %s', async (url, reason) => {
    expect(() => checkIssuerAddress(url)).toThrow(reason)
    await expect(fetchUrl(url)).rejects.toThrow(reason)
  })

  it('sends no request to a name that resolves to this machine', async () => {
    expect(() => checkIssuerAddress('https://localhost')).not.toThrow()
    await expect(fetchUrl('https://localhost:1')).rejects.toThrow('no public address')
  })
})

/** Returns the last address of a network, whose prefix ends at any bit. */
function lastOf(network: string): string {
  const [address = '', bits] = network.split('/')
  const [size, radix, separator] = address.includes(':') ? ([16, 16, ':'] as const) : ([8, 10, '.'] as const)
  const [before = '', after] = address.split('::')
  const parts = (text: string) => text.split(separator).filter(Boolean)
  const groups = address.includes(':') ? 8 : 4
  const zeros = Array<string>(groups - parts(before).length - parts(after ?? '').length).fill('0')
  return [...parts(before), ...zeros, ...parts(after ?? '')]
    .map((part, at) => {
      const hostBits = Math.min(size, Math.max(0, size * (at + 1) - Number(bits)))
      return (Number.parseInt(part, radix) | (2 ** hostBits - 1)).toString(radix)
    })
    .join(separator)
}

it.each(SPECIAL_NETWORKS)('%s (%s) is special from its first to its last address', (network) => {
  const [first = ''] = network.split('/')
  expect([isSpecialAddress(first), isSpecialAddress(lastOf(network))]).toEqual([true, true])
})

it.each([
  ['10.1.2.3', true],
  ['100.64.0.1', true],
  ['172.31.255.255', true],
  ['192.0.2.1', true],
  ['255.255.255.255', true],
  ['fd00::1', true],
  ['::ffff:192.168.0.1', true],
  ['64:ff9b::a00:1', true],
  // Teredo and 6to4 lead to IPv4 addresses.
  ['2001:0:a00:1::', true],
  ['2002:a00:1::', true],
  ['fec0::1', true],
  ['3fff:fff::1', true],
  ['5f00::1', true],
  // IPv4-translated addresses, and a prefix that some overlay networks use.
  ['::ffff:0:7f00:1', true],
  ['200::1', true],
  ['1fff:ffff::', true],
  ['4000::', true],
  ['5f01::', true],
  ['8.8.8.8', false],
  ['9.255.255.255', false],
  ['100.128.0.0', false],
  ['172.32.0.1', false],
  ['192.0.1.0', false],
  ['198.20.0.0', false],
  ['2001:200::1', false],
  ['2001:4860:4860::8888', false],
  ['2606:4700::1111', false],
  ['3fff:1000::', false],
  ['2000::1', false],
])('%s is special: %s', (address, isSpecial) => {
  expect(isSpecialAddress(address)).toBe(isSpecial)
})

/** Rows of IANA’s registries that are not globally reachable, as copied in August and September 2026. */
const NOT_REACHABLE = `
  0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29
  192.0.0.8/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 240.0.0.0/4 255.255.255.255/32 ::1/128 ::/128 ::ffff:0:0/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64
  2001::/23 2001::/32 2001:2::/48 2001:10::/28 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10`

it.each(NOT_REACHABLE.trim().split(/\s+/))('%s of the registries is special', (network) => {
  expect([isSpecialAddress(network.split('/')[0] ?? ''), isSpecialAddress(lastOf(network))]).toEqual([
    true,
    true,
  ])
})

it('the table of special networks names the day of its comparison', () => {
  expect(WRITTEN_ON).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  expect(Date.parse(WRITTEN_ON)).toBeLessThanOrEqual(Date.now())
})

it('a host with a private address is rejected when it is resolved', async () => {
  await expect(checkIssuerHost('https://localhost')).rejects.toThrow('no public address')
  await expect(checkIssuerHost('https://[fec0::1]')).rejects.toThrow('private address')
})

it('hosts that the operator lists may be private, and redirects are not followed', async () => {
  const server = createServer((_, res) => res.writeHead(302, { Location: 'http://169.254.169.254/' }).end())
  servers.push(server)
  const url = await listen(server)
  await expect(fetchUrl(url)).rejects.toThrow('by https')
  vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', new URL(url).host)
  const answer = await fetchUrl(url)
  expect([answer.status, answer.headers.get('location')]).toEqual([302, null])
})

it('a response that is too long is cut', async () => {
  const server = createServer((_, res) => res.end('x'.repeat(600_000)))
  servers.push(server)
  const url = await listen(server)
  vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', new URL(url).host)
  await expect(fetchUrl(url)).rejects.toThrow('too many bytes')
})
