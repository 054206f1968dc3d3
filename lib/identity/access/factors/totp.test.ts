import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sealFor, unsealFor } from './totp.ts'

beforeEach(() => {
  vi.stubEnv('FACTOR_SECRET', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

it('a sealed text is readable for the same use only, and only unmodified', () => {
  const sealed = sealFor('app of Ana', 'JBSWY3DPEHPK3PXP')
  expect(unsealFor('app of Ana', sealed)).toBe('JBSWY3DPEHPK3PXP')
  expect(sealFor('app of Ana', 'JBSWY3DPEHPK3PXP')).not.toBe(sealed)
  const bytes = Buffer.from(sealed, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const edited = Buffer.from(bytes)
    edited[at] = (edited[at] ?? 0) ^ 1
    expect(unsealFor('app of Ana', edited.toString('base64url'))).toBeUndefined()
  }
  expect(unsealFor('app of Bo', sealed)).toBeUndefined()
  for (const text of ['', '!', sealed.slice(0, 20), `${sealed}A`])
    expect(unsealFor('app of Ana', text)).toBeUndefined()
})

it('texts sealed under SESSION_SECRET are readable after FACTOR_SECRET is set, and not the other way around', () => {
  const before = sealFor('app of Ana', 'secret')
  vi.stubEnv('FACTOR_SECRET', 'a secret of thirty-two characters or more')
  expect(unsealFor('app of Ana', before)).toBe('secret')
  const after = sealFor('app of Ana', 'secret')
  expect(unsealFor('app of Ana', after)).toBe('secret')
  vi.stubEnv('FACTOR_SECRET', '')
  expect(unsealFor('app of Ana', after)).toBeUndefined()
})
