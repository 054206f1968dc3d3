import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { openTestServer } from './test-server.ts'
import { isPrivate, proxyDoubt } from './unknown-proxy.ts'

const lines: { msg?: string }[] = []
const write = (line: string) => lines.push(JSON.parse(line))
Object.assign(globalThis, { licensesInvoicesLog: pino({ base: null }, { write }) })
afterAll(() => {
  Object.assign(globalThis, { licensesInvoicesLog: undefined })
})

test.each([
  ['127.0.0.1', true],
  ['::ffff:10.1.2.3', true],
  ['172.31.0.1', true],
  ['::1', true],
  ['fd00::1', true],
  ['172.32.0.1', false],
  ['8.8.8.8', false],
  ['2001:db8::1', false],
  ['', false],
  ['nonsense', false],
])('%s is private: %s', (address, expected) => {
  expect(isPrivate(address)).toBe(expected)
})

test('an https address without a trusted proxy is reported from the settings', () => {
  expect(proxyDoubt({ https: true, trustProxy: false })).toContain('TRUST_PROXY=1')
  expect(proxyDoubt({ https: true, trustProxy: true })).toBeUndefined()
  expect(proxyDoubt({ https: false, trustProxy: false })).toBeUndefined()
})

test('the first forwarded request is reported once, and none with a trusted proxy', async () => {
  const warningCount = () => lines.filter(({ msg }) => msg?.includes('TRUST_PROXY')).length
  const forwarded = ['Host: console.example', 'X-Forwarded-For: 198.51.100.7']
  const trusting = await openTestServer({ trustProxy: true })
  await trusting.request('GET /assets', forwarded)
  await trusting.close()
  const testServer = await openTestServer({})
  await testServer.request('GET /assets', ['Host: console.example'])
  expect(warningCount()).toBe(0)
  await testServer.request('GET /assets', forwarded)
  await testServer.request('GET /assets', forwarded)
  expect(warningCount()).toBe(1)
  await testServer.close()
})
