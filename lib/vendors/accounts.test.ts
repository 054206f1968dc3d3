import { renameSync } from 'node:fs'
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { accounts, configOf } from './accounts.ts'
import { vendorOf } from './vendors.ts'

let folder: string
let path: string
let made = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accounts-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(() => {
  made += 1
  path = join(folder, `accounts-${made}.json`)
  vi.stubEnv('VENDOR_ACCOUNTS_FILE', path)
})
afterEach(() => vi.unstubAllEnvs())

/** Replaces the file atomically, like a supervisor. */
async function write(content: unknown) {
  await writeFile(
    `${path}.new`,
    typeof content === 'string' ? content : JSON.stringify({ accounts: content }),
  )
  await rename(`${path}.new`, path)
}
const google = (name: string, settings: object = {}) => ({
  vendor: 'google-workspace',
  name,
  settings: { GOOGLE_KEY_FILE: 'key.json', GOOGLE_ADMIN: 'admin@reseller.example', ...settings },
})
const microsoft = (name: string, settings: object) => ({
  vendor: 'microsoft-partner-center',
  name,
  settings: { MICROSOFT_TENANT_ID: 'reseller.example', MICROSOFT_CLIENT_ID: 'client', ...settings },
})
const at = (vendor: string, vendorAccount: string) => ({ vendor, vendorAccount })
const remoteVendorOf = (account: string) => {
  const vendor = vendorOf(at('google-workspace', account))
  return vendor.systemOfRecord === 'theirs' ? vendor : undefined
}

describe('accounts of a file', () => {
  test('are added to the account of the environment; paths are relative to the file’s folder', async () => {
    await writeFile(join(folder, 'secret'), ' from a file \n')
    await write([
      google('emea', { GOOGLE_SETTLE_SECONDS: '60' }),
      microsoft('emea', { MICROSOFT_CLIENT_SECRET_FILE: 'secret' }),
    ])
    vi.stubEnv('GOOGLE_KEY_FILE', '/own.json')
    vi.stubEnv('GOOGLE_ADMIN', 'own@reseller.example')
    expect(accounts()).toEqual([
      at('google-workspace', 'default'),
      at('google-workspace', 'emea'),
      at('microsoft-partner-center', 'emea'),
    ])
    const defaultConfig = configOf(at('google-workspace', 'default'))
    expect(defaultConfig).toMatchObject({
      admin: 'own@reseller.example',
      keyFile: '/own.json',
      settleMs: 120_000,
    })
    const keyFile = join(folder, 'key.json')
    const emea = configOf(at('google-workspace', 'emea'))
    expect(emea).toMatchObject({ admin: 'admin@reseller.example', keyFile, settleMs: 60_000 })
    const secret = { clientSecret: 'from a file' }
    expect(configOf(at('microsoft-partner-center', 'emea'))).toMatchObject(secret)
    expect(configOf(at('microsoft-partner-center', 'default'))).toBeUndefined()
  })

  test('are rejected with every error when they are invalid', async () => {
    await write([google('EMEA'), { vendor: 'google-workspace', name: 'apac', settings: { GOOGLE_ADMIN: 1 } }])
    expect(accounts).toThrow(
      /accounts\.0\.name: must be of small letters.*accounts\.1\.settings\.GOOGLE_ADMIN/,
    )
    vi.stubEnv('GOOGLE_KEY_FILE', '/own.json')
    vi.stubEnv('GOOGLE_ADMIN', 'own@reseller.example')
    await write([
      google('default'),
      google('emea'),
      google('emea', { GOOGLE_ADMN: 'x', GOOGLE_URL_FILE: 'nowhere' }),
      { vendor: 'paper', name: 'one', settings: {} },
      { vendor: 'google-workspace', name: 'none', settings: {} },
      google('half', { GOOGLE_ADMIN: 'nobody' }),
    ])
    const faults = [
      'accounts[0] (google-workspace, default): the environment has it already',
      'accounts[2] (google-workspace, emea): is given twice',
      'accounts[2] (google-workspace, emea): GOOGLE_ADMN: is no setting of this vendor',
      `accounts[2] (google-workspace, emea): GOOGLE_URL_FILE: the file ${join(folder, 'nowhere')} cannot be read, or is empty`,
      'accounts[3] (paper, one): there is no such vendor',
      'accounts[4] (google-workspace, none): its settings do not say how it is reached',
      'accounts[5] (google-workspace, half): GOOGLE_ADMIN: Invalid email address',
    ]
    expect(accounts).toThrow(`Wrong configuration. ${path}: ${faults.join('; ')}`)
    await write('{"accounts": [')
    expect(accounts).toThrow(`${path}: is no JSON`)
    await rm(path)
    expect(accounts).toThrow(`${path}: cannot be read`)
  })
})

describe('a file that changes while the service runs', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const advanceClock = () => vi.setSystemTime(Date.now() + 1001)

  test('is read again: a new account is reachable, a removed one is not, and an unchanged one keeps its client', async () => {
    await write([google('emea'), google('apac')])
    const [emea, apac] = [remoteVendorOf('emea'), remoteVendorOf('apac')]
    expect(remoteVendorOf('emea')).toBe(emea)
    await write([google('emea'), google('latam')])
    expect(accounts().map(({ vendorAccount }) => vendorAccount)).toEqual(['emea', 'apac'])
    advanceClock()
    expect(accounts().map(({ vendorAccount }) => vendorAccount)).toEqual(['emea', 'latam'])
    expect(remoteVendorOf('emea')).toBe(emea)
    expect(remoteVendorOf('apac')).not.toBe(apac)
    const ref = { customerId: 'c', subscriptionId: 's', skuId: 'k' }
    expect(await remoteVendorOf('apac')?.read(ref, AbortSignal.timeout(1000))).toEqual({
      kind: 'unavailable',
      reason: 'Google Workspace, account apac, is not configured.',
      why: 'no_access',
    })
  })

  test('is read again after a secret’s file has changed', async () => {
    await writeFile(join(folder, 'rolled'), 'old')
    await write([microsoft('emea', { MICROSOFT_CLIENT_SECRET_FILE: 'rolled' })])
    const emea = at('microsoft-partner-center', 'emea')
    expect(configOf(emea)).toMatchObject({ clientSecret: 'old' })
    await writeFile(join(folder, 'rolled'), 'newer')
    advanceClock()
    expect(configOf(emea)).toMatchObject({ clientSecret: 'newer' })
  })

  test('keeps the previous accounts while it is invalid', async () => {
    await write([google('emea')])
    expect(accounts()).toHaveLength(1)
    const apac = microsoft('apac', { MICROSOFT_CLIENT_SECRET_FILE: `apac-${made}` })
    await write([google('emea'), apac])
    for (const _ of [1, 2]) {
      advanceClock()
      expect(accounts()).toEqual([at('google-workspace', 'emea')])
    }
    // The file itself is unchanged.
    await writeFile(join(folder, `apac-${made}`), 'a secret')
    advanceClock()
    expect(accounts()).toEqual([at('google-workspace', 'emea'), at('microsoft-partner-center', 'apac')])
  })

  test('keeps the accounts even while the file’s folder is inaccessible', async () => {
    await write([google('emea')])
    expect(accounts()).toHaveLength(1)
    await rm(path)
    await symlink(path, path)
    advanceClock()
    expect(accounts()).toHaveLength(1)
  })

  test('notices a write that happens during the read', async () => {
    await writeFile(join(folder, 'raced'), 'one')
    await write([microsoft('emea', { MICROSOFT_CLIENT_SECRET_FILE: 'raced' })])
    const emea = at('microsoft-partner-center', 'emea')
    expect(configOf(emea)).toMatchObject({ clientSecret: 'one' })
    advanceClock()
    // Secret files are read after the file itself: replaces the file at that moment.
    const parse = vi.spyOn(JSON, 'parse').mockImplementationOnce((text) => {
      renameSync(`${path}.new`, path)
      return JSON.parse(text)
    })
    const settings = { MICROSOFT_CLIENT_SECRET_FILE: 'raced' }
    await write([microsoft('emea', { ...settings, MICROSOFT_SETTLE_SECONDS: '60' })])
    await writeFile(
      `${path}.new`,
      JSON.stringify({ accounts: [microsoft('emea', { ...settings, MICROSOFT_SETTLE_SECONDS: '70' })] }),
    )
    expect(configOf(emea)).toMatchObject({ settleMs: 60_000 })
    parse.mockRestore()
    advanceClock()
    expect(configOf(emea)).toMatchObject({ settleMs: 70_000 })
  })
})
