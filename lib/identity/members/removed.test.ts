import { afterAll, beforeAll, expect, it } from 'vitest'
import { setUp } from '#lib/identity/access/sign-on/test-browser.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { setDisabled, setRemoved } from './store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

it('a removed member is unknown to browsers and identity providers', async () => {
  const testCustomer = await addNewCustomer()
  const id = await addMember(testCustomer, { roles: ['it-manager'] })
  const customerId = newCustomerId(testCustomer)
  const provider = await setUp(customerId, `${testCustomer}.example`, { issuer: 'https://login.example' })
  for (const insert of [
    "known_browsers (customer_id, member_id, digest) VALUES ($1, $2, 'of a mark')",
    `sign_on_subjects (customer_id, member_id, provider_id, subject) VALUES ($1, $2, '${provider}', 'cleo')`,
  ])
    await database.sql(testCustomer, `INSERT INTO ${insert}`, [testCustomer, id])
  const left = () =>
    database.sql(
      testCustomer,
      'SELECT member_id FROM known_browsers UNION ALL SELECT member_id FROM sign_on_subjects',
    )
  expect(await left()).toHaveLength(2)
  await scope({ customerId }, async (tx) => {
    await setDisabled(tx, customerId, id, true)
    await setRemoved(tx, customerId, id)
  })
  expect(await left()).toEqual([])
})
