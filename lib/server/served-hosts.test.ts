import { expect, test } from 'vitest'
import { servedHosts } from './served-hosts.ts'

const ALLOWED = ['console.example', 'localhost:3000', '[::1]:3000', 'old.example:80']
const direct = servedHosts(ALLOWED, false)
const behindProxy = servedHosts(ALLOWED, true)

test.each([
  'console.example',
  'CONSOLE.example',
  'console.example:443',
  'localhost:3000',
  '[::1]:3000',
  'old.example',
  'old.example:80',
])('%s is served', (host) => expect(direct({ host }, undefined)).toBe(host.toLowerCase()))

test.each([
  'evil.example',
  'localhost',
  'localhost:3001',
  'console.example:3000',
  'console.example.evil.example',
  'console.example, evil.example',
  'console.example.',
  'x@console.example',
  '',
])('%j is not served', (host) => {
  expect(direct({ host }, undefined)).toBeUndefined()
})

test('a request without a host is not served', () => expect(direct({}, undefined)).toBeUndefined())

test('the host of an absolute target takes precedence over the header', () => {
  expect(direct({ host: 'evil.example' }, 'console.example')).toBe('console.example')
  expect(direct({ host: 'console.example' }, 'evil.example')).toBeUndefined()
})

test('the first X-Forwarded-Host counts, only behind a proxy', () => {
  const forwarded = (name: string) => ({ host: 'localhost:3000', 'x-forwarded-host': name })
  expect(behindProxy(forwarded('console.example'), undefined)).toBe('console.example')
  expect(behindProxy(forwarded('console.example, inner.example'), undefined)).toBe('console.example')
  expect(behindProxy(forwarded('evil.example, console.example'), undefined)).toBeUndefined()
  expect(behindProxy({ host: 'localhost:3000' }, undefined)).toBe('localhost:3000')
  expect(direct(forwarded('evil.example'), undefined)).toBe('localhost:3000')
})
