import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { stepOf } from './steps.ts'

// Malformed forms of sign-in.

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const client = { address: '192.0.2.1', userAgent: 'Test', cookies: '' }
const key = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }

it.each([
  ['passkey', '', 'refused'],
  ['passkey', '{', 'refused'],
  ['passkey', 'null', 'refused'],
  ['passkey', JSON.stringify({ ...key, response: { clientDataJSON: '!' } }), 'refused'],
  [
    'passkey',
    JSON.stringify({ ...key, response: { clientDataJSON: 'AA', authenticatorData: 'AA', signature: 'AA' } }),
    'refused',
  ],
  ['factor', '[]', 'refused'],
  ['factor', '{"code":7}', 'refused'],
  ['factor', '{"code":"123456","passkey":{}}', 'refused'],
  ['factor', '{"code":"123456"}', 'ended'],
  ['newFactor', '{"kind":"totp"}', 'refused'],
  ['newFactor', '{"kind":"totp","name":"App","token":"x","code":"123456"}', 'ended'],
  ['customer', 'nobody', 'refused'],
])('%s %s, without a sign-in before, is %s', async (field, text, kind) => {
  expect((await stepOf({ [field]: text })?.(client))?.kind).toBe(kind)
})

it('a password with its address is no step', () => {
  expect(stepOf({ email: 'ana@alder.example', password: 'x' })).toBeUndefined()
  expect(stepOf(undefined)).toBeUndefined()
})
