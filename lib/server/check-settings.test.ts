import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { checkSettings, misspeltIn } from './check-settings.ts'
import { processSettings } from './workers/settings.ts'

const DATABASE = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_SECRET', 'MIGRATE_AT_START']

beforeEach(() => {
  for (const name of [...DATABASE, 'WEB_CONCURRENCY', 'DRAIN_SECONDS']) vi.stubEnv(name, '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

test('absent settings are not an error', () => {
  expect(checkSettings).not.toThrow()
  expect(databaseSettings()).toMatchObject({ url: undefined, secret: undefined, migratesAtStart: true })
  expect(processSettings()).toEqual({ count: 1, noticeMs: 5000 })
})

test('wrong values of all modules are reported together, in one order, without the values', () => {
  vi.stubEnv('GOOGLE_ADMIN', 'nobody')
  vi.stubEnv('KEY_DAYS', '0')
  vi.stubEnv('SMTP_URL', 'smtp://user:topsecret@mail.example/path')
  vi.stubEnv('METRICS_PORT', '70000')
  vi.stubEnv('DATABASE_SECRET', 'topsecret')
  vi.stubEnv('PORT', '-1')
  const names = ['PORT', 'DATABASE_SECRET', 'METRICS_PORT', 'KEY_DAYS', 'SMTP_URL', 'GOOGLE_ADMIN']
  const reasons = names.map((name) => `${name}: [^;]+`).join('; ')
  expect(checkSettings).toThrow(new RegExp(`^Wrong configuration\\. ${reasons}$`))
  expect(checkSettings).not.toThrow('topsecret')
})

test('the embedded database has connections for six processes, a server as many as configured', () => {
  vi.stubEnv('WEB_CONCURRENCY', '6')
  vi.stubEnv('DRAIN_SECONDS', '0')
  expect(processSettings()).toEqual({ count: 6, noticeMs: 0 })
  vi.stubEnv('WEB_CONCURRENCY', '7')
  expect(processSettings).toThrow(/^Wrong configuration\. WEB_CONCURRENCY: .*DATABASE_URL$/)
  vi.stubEnv('DATABASE_URL', 'postgres://console@db.example/console')
  expect(processSettings().count).toBe(7)
  for (const wrong of ['0', '1.5', 'auto', '65']) {
    vi.stubEnv('WEB_CONCURRENCY', wrong)
    expect(processSettings).toThrow('WEB_CONCURRENCY')
  }
})

test('a replica needs a database server, and may be a second behind by default', () => {
  vi.stubEnv('DATABASE_DIRECT_URL', 'postgres://console@db.example/console')
  expect(databaseSettings).toThrow(/^Wrong configuration\. DATABASE_DIRECT_URL: needs a DATABASE_URL$/)
  vi.stubEnv('DATABASE_DIRECT_URL', '')
  vi.stubEnv('DATABASE_READ_URL', 'postgres://console@replica.example/console')
  expect(databaseSettings).toThrow(/^Wrong configuration\. DATABASE_READ_URL: needs a DATABASE_URL$/)
  vi.stubEnv('DATABASE_URL', 'postgres://console@db.example/console')
  expect(databaseSettings().replica).toEqual({
    url: 'postgres://console@replica.example/console',
    mostBehind: 1000,
  })
  for (const wrong of ['0', '61', '1.5', 'soon']) {
    vi.stubEnv('DATABASE_READ_SECONDS', wrong)
    expect(databaseSettings).toThrow('DATABASE_READ_SECONDS')
  }
  vi.stubEnv('DATABASE_READ_SECONDS', '5')
  expect(databaseSettings().replica?.mostBehind).toBe(5000)
})

test('a value that is no number is explained', () => {
  vi.stubEnv('PORT', 'abc')
  vi.stubEnv('KEY_DAYS', 'soon')
  vi.stubEnv('WEB_CONCURRENCY', '1.5')
  expect(checkSettings).toThrow(
    'Wrong configuration. PORT: must be a whole number from 0 to 65535; WEB_CONCURRENCY: must be a whole number; KEY_DAYS: must be a number',
  )
})

test('a misspelt setting of a .env file is reported with the nearest name', () => {
  expect(misspeltIn('DATABSE_URL=x\nPROT=1\nlog_level=info\nSMTP_URL_FIEL=/run/smtp').sort()).toEqual([
    'DATABSE_URL: is not a setting; is DATABASE_URL meant?',
    'PROT: is not a setting; is PORT meant?',
    'SMTP_URL_FIEL: is not a setting; is SMTP_URL_FILE meant?',
    'log_level: is not a setting; is LOG_LEVEL meant?',
  ])
})

test('no setting of .env.example, of Node or of an unrelated program counts as misspelt', () => {
  const example = readFileSync('.env.example', 'utf8').replaceAll(/^# ([A-Z_]+=)/gm, '$1')
  expect(misspeltIn(example)).toEqual([])
  expect(misspeltIn('NODE_EXTRA_CA_CERTS=x\nOTEL_SERVICE_NAME=x\nHTTPS_PROXY=x\nGRAFANA_PASSWORD=x')).toEqual(
    [],
  )
})

test('a secret may be in a file, which a setting with _FILE names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-secrets-'))
  const file = join(folder, 'url')
  try {
    writeFileSync(file, 'postgres://console@db.example/console\n')
    vi.stubEnv('DATABASE_URL_FILE', file)
    expect(databaseSettings().url).toBe('postgres://console@db.example/console')
    vi.stubEnv('DATABASE_URL', 'postgres://other@db.example/console')
    expect(checkSettings).toThrow('DATABASE_URL: is given, and DATABASE_URL_FILE, too: give one of them')
    vi.stubEnv('DATABASE_URL', '')
    vi.stubEnv('DATABASE_URL_FILE', join(folder, 'none'))
    expect(checkSettings).toThrow('DATABASE_URL: the file of DATABASE_URL_FILE cannot be read, or is empty')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
