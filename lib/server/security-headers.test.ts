import { expect, test } from 'vitest'
import { pagePolicy, securityHeaders, withoutSecret } from './security-headers.ts'

const rules = (policy: string) =>
  new Map(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1).join(' ')]))

test('a page runs only scripts with its response’s nonce', () => {
  const policy = rules(pagePolicy('abc', false))
  expect(policy.get('script-src')).toBe("'self' 'nonce-abc' 'strict-dynamic'")
  expect(policy.get('style-src')).toBe("'self' 'nonce-abc'")
  expect(policy.get('default-src')).toBe("'self'")
  expect(policy.get('object-src')).toBe("'none'")
  expect(policy.get('base-uri')).toBe("'none'")
  expect(policy.get('form-action')).toBe("'self'")
  expect(policy.get('frame-ancestors')).toBe("'none'")
  expect(pagePolicy('abc', false)).not.toMatch(/unsafe|\*|https?:/)
})

test('HSTS is sent only where https is the public scheme', () => {
  expect(rules(pagePolicy('abc', true)).has('upgrade-insecure-requests')).toBe(true)
  expect(rules(pagePolicy('abc', false)).has('upgrade-insecure-requests')).toBe(false)
  expect(securityHeaders(true).get('Strict-Transport-Security')).toBe('max-age=31536000')
  expect(securityHeaders(true, true).get('Strict-Transport-Security')).toBe(
    'max-age=31536000; includeSubDomains',
  )
  expect(securityHeaders(false, true).has('Strict-Transport-Security')).toBe(false)
})

test('a response that is not a page may load nothing', () => {
  expect(securityHeaders(false).get('Content-Security-Policy')).toBe(
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
})

test('each response keeps its address from other sites, and is taken for nothing else', () => {
  expect(securityHeaders(true).get('Referrer-Policy')).toBe('same-origin')
  expect(securityHeaders(true).get('X-Content-Type-Options')).toBe('nosniff')
})

test.each([
  ['/invitation/x7Yq', '/invitation/…'],
  ['/reset/x7Yq/more', '/reset/…'],
  ['/calendar/cal_x7Yq.ics', '/calendar/…'],
  ['/invitation', '/invitation'],
  ['/invoices/reset', '/invoices/reset'],
])('%s is logged as %s', (path, logged) => {
  expect(withoutSecret(path)).toBe(logged)
})
