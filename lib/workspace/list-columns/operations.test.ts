import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember, callerOf } from '#lib/platform/db/test-rows.ts'
import { readListColumns, selectedColumns, setListColumns } from './operations.ts'
import { type ListName, usualColumns } from './rules.ts'

const meta = { requestId: 'test' }
let db: TestDatabase
let key: Caller

beforeAll(async () => {
  db = await testDatabase()
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  key = await callerOf('northwind', 'admin')
})
afterAll(() => db.close())

async function person(customer = 'northwind'): Promise<Caller> {
  const id = await addMember(customer, { roles: ['it-manager'] })
  return { ...key, customerId: customer as Caller['customerId'], via: 'session', id }
}
const set = (caller: Caller, list: ListName, columns: string[] | null) =>
  setListColumns(caller, { params: {}, query: {}, body: { list, columns } }, meta)
const read = async (caller: Caller) =>
  (await readListColumns(caller, { params: {}, query: {}, body: undefined }, meta)).body.lists

it('columns are the default ones until a member chooses, and a choice applies to that member only', async () => {
  const [ana, ben, eve] = [await person(), await person(), await person('southwind')]
  expect((await read(ana)).map(({ isOwn }) => isOwn)).toEqual([false, false])
  const chosen = ['name', 'licenses', 'usage']
  expect((await set(ana, 'assets', chosen)).body).toMatchObject({ columns: chosen, isOwn: true })
  expect(await selectedColumns(ana, 'assets')).toEqual(chosen)
  expect(await selectedColumns(ana, 'invoices')).toEqual(usualColumns('invoices'))
  for (const other of [ben, eve, key])
    expect(await selectedColumns(other, 'assets')).toEqual(usualColumns('assets'))
  await set(ana, 'assets', null)
  await set(ana, 'assets', null)
  expect(await selectedColumns(ana, 'assets')).toEqual(usualColumns('assets'))
  expect(await db.sql('northwind', 'SELECT FROM list_columns')).toEqual([])
})

it('two concurrent choices result in one whole choice', async () => {
  const ana = await person()
  const choices = [['name', 'plan'], ['name', 'usage', 'type'], ['name']]
  await Promise.all(choices.map((columns) => set(ana, 'assets', columns)))
  expect(choices).toContainEqual(await selectedColumns(ana, 'assets'))
})

it('a choice without the name column, unknown columns, and API keys are rejected', async () => {
  const ana = await person()
  for (const columns of [[], ['plan'], ['name', 'price'], ['name', 'plan', 'plan']])
    await expect(set(ana, 'assets', columns)).rejects.toMatchObject({
      code: 'invalid_request',
      more: { errors: [{ pointer: '/columns' }] },
    })
  await expect(set(key, 'assets', ['name'])).rejects.toMatchObject({ code: 'permission_denied' })
  await expect(read(key)).rejects.toMatchObject({ code: 'permission_denied' })
  expect(await selectedColumns(ana, 'assets')).toEqual(usualColumns('assets'))
})
