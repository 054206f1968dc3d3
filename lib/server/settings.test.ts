import { afterEach, describe, expect, test, vi } from 'vitest'
import { GET } from '#app/.well-known/security.txt/route.ts'
import { exposureSettings } from './settings.ts'

afterEach(() => vi.unstubAllEnvs())

describe('security.txt (RFC 9116)', () => {
  test('contains the contact, and expires within a year', async () => {
    vi.stubEnv('SECURITY_CONTACT', 'security@reseller.example')
    vi.stubEnv('BASE_URL', 'https://console.example')
    const response = GET()
    const text = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; charset=utf-8',
    ])
    expect(text).toMatch(/^Contact: mailto:security@reseller\.example$/m)
    expect(text).toMatch(/^Canonical: https:\/\/console\.example\/\.well-known\/security\.txt$/m)
    const expires = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '')
    expect(expires).toBeGreaterThan(Date.now())
    expect(expires).toBeLessThan(Date.now() + 365 * 86_400_000)
  })

  test('does not exist without a contact', () => {
    vi.stubEnv('SECURITY_CONTACT', '')
    expect(GET().status).toBe(404)
  })
})

test.each([
  ['https://reseller.example/report', 'https://reseller.example/report'],
  [' a@b.example ', 'mailto:a@b.example'],
  ['', undefined],
])('%j names %s', (values, contact) => {
  vi.stubEnv('SECURITY_CONTACT', values)
  expect(exposureSettings().securityContact).toBe(contact)
})

test.each(['http://a.example', 'javascript:alert(1)', 'nobody', 'https://', 'a@b.example\nContact: x'])(
  '%j is no contact',
  (contact) => {
    vi.stubEnv('SECURITY_CONTACT', contact)
    expect(exposureSettings).toThrow(/^Wrong configuration\. SECURITY_CONTACT: must be an email address/)
  },
)
