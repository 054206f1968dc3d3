import { expect, it } from 'vitest'
import { hasApiKeyFormat, maskedKey, newApiKey } from './credentials.ts'

it('generates distinct keys that pass their own check', () => {
  const keys = Array.from({ length: 500 }, newApiKey)
  expect(keys.every(hasApiKeyFormat)).toBe(true)
  expect(new Set(keys).size).toBe(keys.length)
  expect(keys.every((key) => /^lic_[0-9A-Za-z]{36}$/.test(key))).toBe(true)
})

it('refuses a key with one character changed, swapped, added or removed', () => {
  const key = newApiKey()
  const other = (c: string | undefined) => (c === 'a' ? 'b' : 'a')
  for (let at = 4; at < key.length; at++) {
    expect(hasApiKeyFormat(key.slice(0, at) + other(key[at]) + key.slice(at + 1))).toBe(false)
  }
  expect(hasApiKeyFormat(`${key}0`)).toBe(false)
  expect(hasApiKeyFormat(key.slice(0, -1))).toBe(false)
  expect(hasApiKeyFormat(`${key}\n`)).toBe(false)
  expect(hasApiKeyFormat(key.toUpperCase())).toBe(false)
  expect(hasApiKeyFormat('')).toBe(false)
})

it('shows no more than eight characters at the start and four at the end', () => {
  const key = newApiKey()
  expect(maskedKey(key)).toEqual({ prefix: key.slice(0, 8), lastFour: key.slice(-4) })
})
