import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { callApi, GROUP_SCHEMA, patch, tokenOf, USER_SCHEMA } from './test-calls.ts'

const TABLES = ['members', 'scim_tokens', 'scim_users', 'scim_groups', 'scim_group_members']
const filtered = (text: string) => `filter=${encodeURIComponent(text)}`

let database: TestDatabase
let eve = ''
let [user, group] = ['', '']
beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['own', 'other']) await addCustomer(id)
  const ana = await tokenOf('own', ['admin'])
  eve = await tokenOf('other', ['admin'])
  const userBody = { schemas: [USER_SCHEMA], userName: 'cleo@own.example', externalId: 'of-own' }
  user = (await callApi(ana, 'POST', '/Users', { body: userBody })).json.id
  const whole = {
    schemas: [GROUP_SCHEMA],
    displayName: 'Staff',
    externalId: 'of-own',
    members: [{ value: user }],
  }
  group = (await callApi(ana, 'POST', '/Groups', { body: whole })).json.id
  await callApi(eve, 'POST', '/Groups', { body: { ...whole, members: [] } })
})
afterAll(() => database.close())

const rows = async () =>
  JSON.stringify([
    await database.sql(
      'own',
      'SELECT m.name, m.roles, m.disabled_at, s.* FROM members m JOIN scim_users s ON s.member_id = m.id',
    ),
    await database.sql('own', 'SELECT * FROM scim_groups g JOIN scim_group_members m ON m.group_id = g.id'),
  ])

/**
 * Expects each response for another customer's resource to equal that for an unknown one, byte by byte except for the
 * id.
 */
async function tryAll() {
  const before = await rows()
  const rename = patch({ op: 'replace', value: { displayName: 'taken', active: false } })
  for (const [path, id] of [
    ['Users', user],
    ['Groups', group],
  ]) {
    const schemas = [path === 'Users' ? USER_SCHEMA : GROUP_SCHEMA]
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { schemas, userName: 'cleo@own.example', displayName: 'taken' }],
      ['PATCH', rename],
      ['DELETE', undefined],
    ] as const) {
      const [there, nowhere] = [
        await callApi(eve, method, `/${path}/${id}`, { body }),
        await callApi(eve, method, `/${path}/nobody`, { body }),
      ]
      expect([method, path, there.status, there.json]).toEqual([method, path, 404, nowhere.json])
    }
    for (const text of [`id eq "${id}"`, 'externalId eq "of-own"'])
      for (const resource of (await callApi(eve, 'GET', `/${path}?${filtered(text)}`)).json.Resources)
        expect(resource.id).not.toBe(id)
  }
  expect(
    (await callApi(eve, 'GET', `/Users?${filtered('userName eq "cleo@own.example"')}`)).json.totalResults,
  ).toBe(0)
  const [{ id: staff }] = (await callApi(eve, 'GET', '/Groups')).json.Resources
  const put = (value: string) =>
    callApi(eve, 'PATCH', `/Groups/${staff}`, {
      body: patch({ op: 'add', path: 'members', value: [{ value }] }),
    })
  const [there, nowhere] = [await put(user), await put('nobody')]
  expect([there.status, there.json.detail.replace(user, 'nobody')]).toEqual([400, nowhere.json.detail])
  expect((await callApi(eve, 'GET', `/Groups/${staff}`)).json.members).toEqual([])
  expect(await rows()).toBe(before)
}

describe('row-level security and the customer in each statement isolate customers independently', () => {
  it('both together', tryAll)

  it('a statement without the customer sees and changes nothing of others (row-level security)', async () => {
    const other = { customerId: 'other' as CustomerId }
    const count = async (query: string) => (await scope(other, (tx) => tx.execute(query))).rowCount
    expect(await count(`SELECT 1 FROM scim_users WHERE member_id = '${user}'`)).toBe(0)
    expect(await count(`SELECT 1 FROM scim_groups WHERE id = '${group}'`)).toBe(0)
    expect(await count(`DELETE FROM scim_group_members WHERE group_id = '${group}'`)).toBe(0)
    expect(await count("UPDATE scim_tokens SET revoked_at = now() WHERE customer_id = 'own'")).toBe(0)
  })

  it('other customers’ rows are not found without row-level security (customer in each statement)', async () => {
    for (const table of TABLES) await run(database.url, `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`)
    try {
      await tryAll()
      // Row-level security was really disabled.
      expect(await database.sql('other', `SELECT FROM scim_groups WHERE id = '${group}'`)).toHaveLength(1)
    } finally {
      for (const table of TABLES) await run(database.url, `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
    }
  })

  it('an address of a member of another customer is added like any other', async () => {
    const userBody = { schemas: [USER_SCHEMA], userName: 'cleo@own.example' }
    expect((await callApi(eve, 'POST', '/Users', { body: userBody })).status).toBe(201)
  })
})
