import { env as variables } from 'node:process'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { enterProduction, env, setPort } from './env.ts'

const NAMES = [
  'HOST',
  'PORT',
  'BASE_URL',
  'ALLOWED_HOSTS',
  'TRUST_PROXY',
  'DATA_DIR',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
]
const GOOGLE = ['GOOGLE_KEY_FILE', 'GOOGLE_ADMIN', 'GOOGLE_URL', 'GOOGLE_TOKEN_URL', 'GOOGLE_SETTLE_SECONDS']
const PROCESSES = ['WEB_CONCURRENCY', 'DRAIN_SECONDS']
const SECRETS = ['SESSION_SECRET', 'DATABASE_SECRET', 'MIGRATE_AT_START']
const SET_BY_US = ['NODE_ENV', 'NEXT_TELEMETRY_DISABLED', 'NEXTAUTH_URL', 'AUTH_TRUST_HOST']

beforeEach(() => {
  for (const name of [...NAMES, ...PROCESSES, ...GOOGLE, ...SET_BY_US, ...SECRETS, 'LOG_LEVEL'])
    vi.stubEnv(name, '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

test('everything has a default, and an empty value is none', () => {
  expect(env()).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    baseUrl: 'http://localhost:3000',
    trustProxy: false,
    dataDir: expect.stringMatching(/^\/.*\.data$/),
    database: { url: undefined, secret: undefined, migratesAtStart: true },
    sessionSecret: undefined,
    logLevel: 'info',
    processes: { count: 1, noticeMs: 5000 },
  })
})

test('a wrong value is named, with every other one, and never shown', () => {
  vi.stubEnv('PORT', '70000')
  vi.stubEnv('SESSION_SECRET', 'too-short')
  vi.stubEnv('BASE_URL', 'https://console.example.com/path')
  const wrong =
    /^Wrong configuration\. (?!.*too-short)(?=.*PORT)(?=.*SESSION_SECRET)(?=.*BASE_URL: must have no path)/
  expect(env).toThrow(wrong)
})

test('the embedded database has connections for six processes, a server as many as it is set up with', () => {
  vi.stubEnv('WEB_CONCURRENCY', '6')
  vi.stubEnv('DRAIN_SECONDS', '0')
  expect(env().processes).toEqual({ count: 6, noticeMs: 0 })
  vi.stubEnv('WEB_CONCURRENCY', '7')
  expect(env).toThrow(/^Wrong configuration\. WEB_CONCURRENCY: .*DATABASE_URL$/)
  vi.stubEnv('DATABASE_URL', 'postgres://console@db.example/console')
  expect(env().processes.count).toBe(7)
  for (const wrong of ['0', '1.5', 'auto', '65']) {
    vi.stubEnv('WEB_CONCURRENCY', wrong)
    expect(env).toThrow('WEB_CONCURRENCY')
  }
})

test('a replica is read from beside a server only, and may be a second behind unless told', () => {
  vi.stubEnv('DATABASE_DIRECT_URL', 'postgres://console@db.example/console')
  expect(env).toThrow(/^Wrong configuration\. DATABASE_DIRECT_URL: needs a DATABASE_URL$/)
  vi.stubEnv('DATABASE_DIRECT_URL', '')
  vi.stubEnv('DATABASE_READ_URL', 'postgres://console@replica.example/console')
  expect(env).toThrow(/^Wrong configuration\. DATABASE_READ_URL: needs a DATABASE_URL$/)
  vi.stubEnv('DATABASE_URL', 'postgres://console@db.example/console')
  expect(env().database.replica).toEqual({
    url: 'postgres://console@replica.example/console',
    mostBehind: 1000,
  })
  for (const wrong of ['0', '61', '1.5', 'soon']) {
    vi.stubEnv('DATABASE_READ_SECONDS', wrong)
    expect(env).toThrow('DATABASE_READ_SECONDS')
  }
  vi.stubEnv('DATABASE_READ_SECONDS', '5')
  expect(env().database.replica?.mostBehind).toBe(5000)
})

test.each(['nonsense', 'ftp://console.example.com', 'https://'])('%s is no public address', (url) => {
  vi.stubEnv('BASE_URL', url)
  expect(env).toThrow('BASE_URL')
})

describe('Microsoft', () => {
  const named = (names: string[]) => {
    const times = ['SETTLE_SECONDS', 'REPEAT_SECONDS']
    for (const name of ['TENANT_ID', 'CLIENT_ID', 'CLIENT_SECRET', 'URL', 'TOKEN_URL', ...times]) {
      vi.stubEnv(`MICROSOFT_${name}`, names.includes(name) ? name.toLowerCase() : '')
    }
  }

  test('is there with tenant, client and secret', () => {
    named([])
    expect(env().vendors['microsoft-partner-center']).toBeUndefined()
    named(['TENANT_ID', 'CLIENT_ID', 'CLIENT_SECRET'])
    expect(env().vendors['microsoft-partner-center']).toEqual({
      url: 'https://api.partnercenter.microsoft.com',
      tokenUrl: 'https://login.microsoftonline.com/tenant_id/oauth2/v2.0/token',
      clientId: 'client_id',
      clientSecret: 'client_secret',
      settleMs: 86_400_000,
      callsPerMinute: 600,
      idempotentWrites: 86_400_000,
    })
    vi.stubEnv('MICROSOFT_REPEAT_SECONDS', '0')
    expect(env().vendors['microsoft-partner-center']?.idempotentWrites).toBeUndefined()
    vi.stubEnv('MICROSOFT_URL', 'http://127.0.0.1:4001/')
    vi.stubEnv('MICROSOFT_TOKEN_URL', 'http://localhost:4001/token')
    vi.stubEnv('MICROSOFT_SETTLE_SECONDS', '2')
    const elsewhere = { url: 'http://127.0.0.1:4001', tokenUrl: 'http://localhost:4001/token' }
    expect(env().vendors['microsoft-partner-center']).toMatchObject({ ...elsewhere, settleMs: 2000 })
  })

  test.each([
    [['TENANT_ID', 'CLIENT_ID'], /MICROSOFT_CLIENT_SECRET: is needed too$/],
    [['CLIENT_SECRET'], /MICROSOFT_TENANT_ID: is needed too; MICROSOFT_CLIENT_ID: is needed too$/],
  ])('with %j alone is told what is missing, and no secret', (names, words) => {
    named(names)
    expect(env).toThrow(words)
    expect(env).not.toThrow('client_secret')
  })

  test.each([
    ['URL', 'http://api.partnercenter.example'],
    ['TOKEN_URL', 'nonsense'],
    ['TENANT_ID', 'a/b'],
    ['SETTLE_SECONDS', '0'],
    ['REPEAT_SECONDS', '86401'],
  ])('does not take %s=%s', (name, value) => {
    named(['TENANT_ID', 'CLIENT_ID', 'CLIENT_SECRET'])
    vi.stubEnv(`MICROSOFT_${name}`, value)
    expect(env).toThrow(`MICROSOFT_${name}`)
  })
})

describe('the hosts that are served', () => {
  test('are our own, the public one and those that are listed', () => {
    vi.stubEnv('PORT', '4000')
    vi.stubEnv('BASE_URL', 'https://Console.example.com/')
    vi.stubEnv('ALLOWED_HOSTS', ' a.example, B.example:81 ,')
    const own = ['localhost:4000', '127.0.0.1:4000', '[::1]:4000']
    const listed = ['a.example', 'b.example:81']
    expect(env().allowedHosts).toEqual(['console.example.com', ...own, ...listed])
    expect(env().baseUrl).toBe('https://Console.example.com')
  })

  test('have the port that the system chose', () => {
    vi.stubEnv('PORT', '0')
    setPort(4321)
    expect(env()).toMatchObject({ port: 4321, baseUrl: 'http://localhost:4321' })
    expect(env().allowedHosts).toContain('127.0.0.1:4321')
  })
})

test('sign-in redirects to the public address over https, else to where the request came', () => {
  const said = () => {
    const { NODE_ENV, NEXTAUTH_URL, AUTH_TRUST_HOST } = variables
    return { NODE_ENV, NEXTAUTH_URL, AUTH_TRUST_HOST }
  }
  vi.stubEnv('NEXTAUTH_URL', 'https://somewhere.else')
  enterProduction()
  expect(said()).toEqual({ NODE_ENV: 'production', AUTH_TRUST_HOST: '1' })
  vi.stubEnv('AUTH_TRUST_HOST', '')
  vi.stubEnv('BASE_URL', 'https://console.example.com')
  enterProduction()
  expect(said()).toMatchObject({ NEXTAUTH_URL: 'https://console.example.com', AUTH_TRUST_HOST: '' })
})

describe('Google Workspace', () => {
  test('is not configured by its addresses alone', () => {
    expect(env().vendors['google-workspace']).toBeUndefined()
    vi.stubEnv('GOOGLE_URL', 'http://127.0.0.1:4000')
    expect(env().vendors['google-workspace']).toBeUndefined()
  })

  test('needs a key and an administrator, and knows the rest', () => {
    vi.stubEnv('GOOGLE_KEY_FILE', '/keys/google.json')
    expect(env).toThrow('GOOGLE_ADMIN: is needed too')
    vi.stubEnv('GOOGLE_ADMIN', 'admin@reseller.example')
    expect(env().vendors['google-workspace']).toEqual({
      url: 'https://reseller.googleapis.com',
      tokenUrl: 'https://oauth2.googleapis.com/token',
      keyFile: '/keys/google.json',
      admin: 'admin@reseller.example',
      settleMs: 120_000,
      callsPerMinute: 300,
    })
    vi.stubEnv('GOOGLE_KEY_FILE', '')
    expect(env).toThrow('GOOGLE_KEY_FILE: is needed too')
  })

  test.each([
    ['GOOGLE_URL', 'http://reseller.example', 'must be https'],
    ['GOOGLE_URL', 'https://reseller.example/v1', 'must have no path'],
    ['GOOGLE_TOKEN_URL', 'http://token.example/token', 'must be https'],
    ['GOOGLE_ADMIN', 'nobody', 'GOOGLE_ADMIN'],
    ['GOOGLE_SETTLE_SECONDS', '0', 'GOOGLE_SETTLE_SECONDS'],
  ])('refuses %s=%s', (name, value, message) => {
    vi.stubEnv(name, value)
    expect(env).toThrow(message)
  })
})

test('settings that are fixed are not read again', async () => {
  vi.resetModules()
  const own = await import('./env.ts')
  vi.stubEnv('PORT', '4001')
  own.fixSettings()
  vi.stubEnv('PORT', '4002')
  expect(own.env().port).toBe(4001)
  expect(env().port).toBe(4002)
})
