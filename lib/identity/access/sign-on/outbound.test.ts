import { createServer, type Server } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isPrivateAddress } from '#lib/platform/runtime/outbound.ts'
import { end, listen } from '../../../../test/fakes/issuers/provider.ts'
import { checkIssuerAddress, fetchIssuer } from './outbound.ts'

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
    await expect(fetchUrl('https://localhost:1')).rejects.toThrow('private address')
  })
})

it.each([
  ['10.1.2.3', true],
  ['100.64.0.1', true],
  ['172.31.255.255', true],
  ['192.168.0.1', true],
  ['fd00::1', true],
  ['fe80::1', true],
  ['::ffff:192.168.0.1', true],
  ['64:ff9b::a00:1', true],
  ['8.8.8.8', false],
  ['172.32.0.1', false],
  ['2606:4700::1111', false],
])('%s is private: %s', (address, isPrivate) => {
  expect(isPrivateAddress(address)).toBe(isPrivate)
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
