import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { vendorSettings, vendorTimes } from './settings.ts'

const GOOGLE = ['GOOGLE_KEY_FILE', 'GOOGLE_ADMIN', 'GOOGLE_URL', 'GOOGLE_TOKEN_URL', 'GOOGLE_SETTLE_SECONDS']

beforeEach(() => {
  for (const name of GOOGLE) vi.stubEnv(name, '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

describe('Microsoft', () => {
  const named = (names: string[]) => {
    const times = ['SETTLE_SECONDS', 'REPEAT_SECONDS']
    for (const name of ['TENANT_ID', 'CLIENT_ID', 'CLIENT_SECRET', 'URL', 'TOKEN_URL', ...times]) {
      vi.stubEnv(`MICROSOFT_${name}`, names.includes(name) ? name.toLowerCase() : '')
    }
  }

  test('is configured with tenant, client and secret', () => {
    named([])
    expect(vendorSettings()['microsoft-partner-center']).toBeUndefined()
    named(['TENANT_ID', 'CLIENT_ID', 'CLIENT_SECRET'])
    expect(vendorSettings()['microsoft-partner-center']).toEqual({
      url: 'https://api.partnercenter.microsoft.com',
      tokenUrl: 'https://login.microsoftonline.com/tenant_id/oauth2/v2.0/token',
      clientId: 'client_id',
      clientSecret: 'client_secret',
      settleMs: 86_400_000,
      callsPerMinute: 600,
      idempotentWrites: 86_400_000,
    })
    vi.stubEnv('MICROSOFT_REPEAT_SECONDS', '0')
    expect(vendorSettings()['microsoft-partner-center']?.idempotentWrites).toBeUndefined()
    vi.stubEnv('MICROSOFT_URL', 'http://127.0.0.1:4001/')
    vi.stubEnv('MICROSOFT_TOKEN_URL', 'http://localhost:4001/token')
    vi.stubEnv('MICROSOFT_SETTLE_SECONDS', '2')
    const elsewhere = { url: 'http://127.0.0.1:4001', tokenUrl: 'http://localhost:4001/token' }
    expect(vendorSettings()['microsoft-partner-center']).toMatchObject({ ...elsewhere, settleMs: 2000 })
  })

  test.each([
    [['TENANT_ID', 'CLIENT_ID'], /MICROSOFT_CLIENT_SECRET: is required, too$/],
    [['CLIENT_SECRET'], /MICROSOFT_TENANT_ID: is required, too; MICROSOFT_CLIENT_ID: is required, too$/],
  ])('reports the missing settings with %j, and no secret', (names, message) => {
    named(names)
    expect(vendorSettings).toThrow(message)
    expect(vendorSettings).not.toThrow('client_secret')
  })

  test.each([
    ['URL', 'http://api.partnercenter.example'],
    ['TOKEN_URL', 'nonsense'],
    ['TENANT_ID', 'a/b'],
    ['SETTLE_SECONDS', '0'],
    ['REPEAT_SECONDS', '86401'],
  ])('refuses %s=%s', (name, value) => {
    named(['TENANT_ID', 'CLIENT_ID', 'CLIENT_SECRET'])
    vi.stubEnv(`MICROSOFT_${name}`, value)
    expect(vendorSettings).toThrow(`MICROSOFT_${name}`)
  })
})

describe('Google Workspace', () => {
  test('is not configured by its URLs only', () => {
    expect(vendorSettings()['google-workspace']).toBeUndefined()
    vi.stubEnv('GOOGLE_URL', 'http://127.0.0.1:4000')
    expect(vendorSettings()['google-workspace']).toBeUndefined()
  })

  test('requires a key and an administrator, and has defaults for the rest', () => {
    vi.stubEnv('GOOGLE_KEY_FILE', '/keys/google.json')
    expect(vendorSettings).toThrow('GOOGLE_ADMIN: is required, too')
    vi.stubEnv('GOOGLE_ADMIN', 'admin@reseller.example')
    expect(vendorSettings()['google-workspace']).toEqual({
      url: 'https://reseller.googleapis.com',
      tokenUrl: 'https://oauth2.googleapis.com/token',
      keyFile: '/keys/google.json',
      admin: 'admin@reseller.example',
      settleMs: 120_000,
      callsPerMinute: 300,
    })
    vi.stubEnv('GOOGLE_KEY_FILE', '')
    expect(vendorSettings).toThrow('GOOGLE_KEY_FILE: is required, too')
  })

  test.each([
    ['GOOGLE_URL', 'http://reseller.example', 'must be https'],
    ['GOOGLE_URL', 'https://reseller.example/v1', 'must have no path'],
    ['GOOGLE_TOKEN_URL', 'http://token.example/token', 'must be https'],
    ['GOOGLE_ADMIN', 'nobody', 'GOOGLE_ADMIN'],
    ['GOOGLE_SETTLE_SECONDS', '0', 'GOOGLE_SETTLE_SECONDS'],
  ])('refuses %s=%s', (name, value, message) => {
    vi.stubEnv(name, value)
    expect(vendorSettings).toThrow(message)
  })
})

test('each time of all vendors is read from the setting of its name', () => {
  const names = {
    readMs: 'VENDOR_READ_MS',
    writeMs: 'VENDOR_WRITE_MS',
    confirmMs: 'VENDOR_CONFIRM_MS',
    checkMs: 'VENDOR_CHECK_MS',
    againMs: 'VENDOR_AGAIN_MS',
    staleMs: 'VENDOR_STALE_MS',
    pauseMs: 'VENDOR_PAUSE_MS',
    leaseMs: 'CHANGE_LEASE_MS',
  }
  for (const [index, name] of Object.values(names).entries()) vi.stubEnv(name, String(index + 1))
  expect(vendorTimes()).toEqual(
    Object.fromEntries(Object.keys(names).map((field, index) => [field, index + 1])),
  )
})
