import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { openDataDir } from './data-dir.ts'
import { isSigned, type Sealing, seal, sign, unseal } from './secrets.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const secret = 'a-secret-of-the-tests-of-32-characters'
const pageTokens = { purpose: 'page tokens', isRepeatable: true, secret }
const factor = { purpose: 'second factors', context: 'totp member-1', secret }
const provider = { purpose: 'secrets of identity providers', context: 'provider-1', secret }

// Values of earlier releases, which had one implementation for each of these: databases and browsers still hold them.
test.each<[Sealing, string, string]>([
  [
    pageTokens,
    '["older","list","key"]',
    'nNK3GaRdDoo35ly6Zm83eIt_Z0av4IdY1LotRqM7lIfTk6oga_hnG8uTZo4RJDuWH8E',
  ],
  [factor, 'JBSWY3DPEHPK3PXP', 'AAECAwQFBgcICQoLZPph6A9shp9pNJkW-Oz1l8Q5TSO_W_cITObQ9A0lQiY'],
  [provider, 'client-secret', 'AAECAwQFBgcICQoLbDYYztKHc2zj9xkFINc9Msbvx5HQvNRDar3Nt5w'],
])('opens a value that an earlier release sealed for %o', (sealing, text, sealed) => {
  expect(unseal(sealed, sealing)).toBe(text)
  expect(unseal(seal(text, sealing), sealing)).toBe(text)
})

test('a repeatable seal equals that of an earlier release, and any other differs each time', () => {
  const text = '["older","list","key"]'
  expect(seal(text, pageTokens)).toBe('nNK3GaRdDoo35ly6Zm83eIt_Z0av4IdY1LotRqM7lIfTk6oga_hnG8uTZo4RJDuWH8E')
  expect(seal(text, factor)).not.toBe(seal(text, factor))
})

test.each([
  ['session', 'SESSION_SECRET'],
  ['database', 'DATABASE_SECRET'],
] as const)('the %s secret is required with DATABASE_URL: %s', async (name, setting) => {
  // The secret of the tests is kept after its first use.
  vi.resetModules()
  vi.stubEnv(setting, '')
  vi.stubEnv('DATABASE_URL', 'postgres://console@db.example/console')
  const { installationSecret } = await import('./secrets.ts')
  expect(() => installationSecret(name)).toThrow(`Set ${setting} (32 characters or more)`)
})

test("a sealed text can't be opened for another purpose, context or secret, or after any byte was changed", () => {
  const sealed = seal('text', factor)
  expect(unseal(sealed, { ...factor, purpose: 'page tokens' })).toBeUndefined()
  expect(unseal(sealed, { ...factor, context: 'totp member-2' })).toBeUndefined()
  expect(unseal(sealed, { purpose: factor.purpose, secret })).toBeUndefined()
  expect(unseal(sealed, { ...factor, secret: `${secret}!` })).toBeUndefined()
  const bytes = Buffer.from(sealed, 'base64url')
  for (const [index, byte] of bytes.entries()) {
    const edited = Buffer.from(bytes)
    edited[index] = byte ^ 1
    expect(unseal(edited.toString('base64url'), factor)).toBeUndefined()
  }
  for (const other of ['', '!', 'AAAA', sealed.slice(0, 20)]) expect(unseal(other, factor)).toBeUndefined()
})

// The session secret of all tests is set in vitest.config.ts.
test.each([
  ['links in notices', ['content'], 'EBRsRy_4XLQXUVZjGsqbg6xsEQWGl1TlurdAvuZGsSE'],
  ['marks of browsers', ['id'], 'gRHhpN94Ab4BvU7iI86AoWEC6CA7w6urqAoJ900bnRM'],
  ['challenges of passkeys', [Buffer.alloc(22, 7), 'sign-in'], 'I-gPi2NLML9n8_3okeXQEmlBbo9XpM6iq2-mbfirhZ0'],
])('the signature for "%s" equals that of earlier releases', (purpose, content, signature) => {
  expect(sign(purpose, ...content).toString('base64url')).toBe(signature)
  expect(isSigned(signature, purpose, ...content)).toBe(true)
  expect(isSigned(Buffer.from(signature, 'base64url'), purpose, ...content)).toBe(true)
})

test('a signature matches neither another purpose nor other content, and no part of it does', () => {
  const signature = sign('links in notices', 'content').toString('base64url')
  expect(isSigned(signature, 'marks of browsers', 'content')).toBe(false)
  expect(isSigned(signature, 'links in notices', 'contents')).toBe(false)
  expect(isSigned(signature.slice(1), 'links in notices', 'content')).toBe(false)
  expect(isSigned('', 'links in notices', 'content')).toBe(false)
})

describe('the data directory', () => {
  const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8)
  const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-data-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('is made for its owner only, and closed to others where it exists', () => {
    const made = join(folder, 'new', 'data')
    openDataDir(made)
    expect(modeOf(made)).toBe('700')
    chmodSync(made, 0o755)
    openDataDir(made)
    expect(modeOf(made)).toBe('700')
  })

  test('is left as it is where many share it', () => {
    const shared = join(folder, 'shared')
    mkdirSync(shared)
    chmodSync(shared, 0o1777)
    openDataDir(shared)
    expect(modeOf(shared)).toBe('1777')
  })
})
