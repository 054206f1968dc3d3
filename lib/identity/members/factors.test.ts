import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { callApi, type Headers, withKey } from './test-calls.ts'

// The second factors of a member are listed as far as they count at the caller's customer.

let database: TestDatabase
let headers: Headers
let member = ''
const EMAIL = 'ana@both.example'
beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['own', 'other']) await addCustomer(id)
  member = await addMember('own', { roles: ['it-manager'], email: EMAIL })
  await addMember('other', { roles: ['it-manager'], email: EMAIL })
  headers = await withKey('own', ['admin'])
})
afterAll(() => database.close())

const readFactors = async () => (await callApi(headers, 'GET', `/${member}`)).json.secondFactors
const add = (kind: 'totp' | 'passkey', factorScope: string | null, customer = 'own') =>
  database.sql(
    customer,
    `INSERT INTO second_factors (person_id, reach, kind, name, secret, credential, public_key, counter)
     SELECT person_id, $1, $2, 'Mine', 'sealed', gen_random_uuid()::text, 'key', 0 FROM members
     WHERE customer_id = $3 AND email = $4`,
    [factorScope, kind, customer, EMAIL],
  )

it('lists each kind once, and omits factors that count only elsewhere', async () => {
  expect(await readFactors()).toEqual([])
  await add('passkey', 'other', 'other')
  expect(await readFactors()).toEqual([])
  await add('totp', null)
  expect(await readFactors()).toEqual(['totp'])
  await add('passkey', 'own')
  await add('passkey', 'own')
  expect(await readFactors()).toEqual(['totp', 'passkey'])
  const { json } = await callApi(headers, 'GET', '')
  expect(JSON.stringify(json)).not.toMatch(/sealed|Mine|credential/)
})

it('omits the person’s own factors after an Admin has reset them here', async () => {
  await database.sql('own', 'UPDATE members SET factors_reset_at = clock_timestamp() WHERE id = $1', [member])
  expect(await readFactors()).toEqual(['passkey'])
})

it('omits the person’s own factors for an isolated membership', async () => {
  await database.sql('own', "UPDATE members SET factors_reset_at = now() - interval '1 hour' WHERE id = $1", [
    member,
  ])
  expect(await readFactors()).toEqual(['totp', 'passkey'])
  await database.sql('own', 'UPDATE members SET factors_apart = true WHERE id = $1', [member])
  expect(await readFactors()).toEqual(['passkey'])
})

it('omits factors of members who are invited or disabled', async () => {
  await database.sql('own', 'UPDATE members SET invited_at = now() WHERE id = $1', [member])
  expect(await readFactors()).toBeUndefined()
  await database.sql('own', 'UPDATE members SET invited_at = NULL, disabled_at = now() WHERE id = $1', [
    member,
  ])
  expect(await readFactors()).toBeUndefined()
})
