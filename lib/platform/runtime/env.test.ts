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
  'SESSION_SECRET',
  'LOG_LEVEL',
]
const SET_BY_US = ['NODE_ENV', 'NEXT_TELEMETRY_DISABLED', 'NEXTAUTH_URL', 'AUTH_TRUST_HOST']

beforeEach(() => {
  for (const name of [...NAMES, ...SET_BY_US]) vi.stubEnv(name, '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

test('every setting has a default, and an empty value counts as absent', () => {
  expect(env()).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    baseUrl: 'http://localhost:3000',
    trustProxy: false,
    dataDir: expect.stringMatching(/^\/.*\.data$/),
    sessionSecret: undefined,
    logLevel: 'info',
  })
})

test('the names of all invalid values of a module are reported, and never the values', () => {
  vi.stubEnv('PORT', '70000')
  vi.stubEnv('SESSION_SECRET', 'too-short')
  vi.stubEnv('BASE_URL', 'https://console.example.com/path')
  const wrong =
    /^Wrong configuration\. (?!.*too-short)(?=.*PORT)(?=.*SESSION_SECRET)(?=.*BASE_URL: must have no path)/
  expect(env).toThrow(wrong)
})

test.each(['nonsense', 'ftp://console.example.com', 'https://'])('%s is not a public URL', (url) => {
  vi.stubEnv('BASE_URL', url)
  expect(env).toThrow('BASE_URL')
})

describe('the allowed hosts', () => {
  test('are the local ones, the public one and the listed ones', () => {
    vi.stubEnv('PORT', '4000')
    vi.stubEnv('BASE_URL', 'https://Console.example.com/')
    vi.stubEnv('ALLOWED_HOSTS', ' a.example, B.example:81 ,')
    const loopbackHosts = ['localhost:4000', '127.0.0.1:4000', '[::1]:4000']
    const listed = ['a.example', 'b.example:81']
    expect(env().allowedHosts).toEqual(['console.example.com', ...loopbackHosts, ...listed])
    expect(env().baseUrl).toBe('https://Console.example.com')
  })

  test('include the port that the system chose', () => {
    vi.stubEnv('PORT', '0')
    setPort(4321)
    expect(env()).toMatchObject({ port: 4321, baseUrl: 'http://localhost:4321' })
    expect(env().allowedHosts).toContain('127.0.0.1:4321')
  })
})

test("sign-in redirects to the public URL over https, else to the request's host", () => {
  const readMessage = () => {
    const { NODE_ENV, NEXTAUTH_URL, AUTH_TRUST_HOST } = variables
    return { NODE_ENV, NEXTAUTH_URL, AUTH_TRUST_HOST }
  }
  vi.stubEnv('NEXTAUTH_URL', 'https://somewhere.else')
  enterProduction()
  expect(readMessage()).toEqual({ NODE_ENV: 'production', AUTH_TRUST_HOST: '1' })
  vi.stubEnv('AUTH_TRUST_HOST', '')
  vi.stubEnv('BASE_URL', 'https://console.example.com')
  enterProduction()
  expect(readMessage()).toMatchObject({ NEXTAUTH_URL: 'https://console.example.com', AUTH_TRUST_HOST: '' })
})

test('fixed settings are not read again', async () => {
  vi.resetModules()
  const freshModule = await import('./env.ts')
  vi.stubEnv('PORT', '4001')
  freshModule.fixSettings()
  vi.stubEnv('PORT', '4002')
  expect(freshModule.env().port).toBe(4001)
  expect(env().port).toBe(4002)
})
