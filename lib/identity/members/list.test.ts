import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { callApi, type Headers, withKey } from './test-calls.ts'

let database: TestDatabase
let customerId = ''
let key: Headers
const ids: string[] = []
const at = (day: number) => new Date(Date.UTC(2026, 5, day))

beforeAll(async () => {
  database = await testDatabase()
  customerId = await addNewCustomer()
  key = await withKey(customerId, ['admin'])
  const people = [
    { name: 'Ana Ruiz', roles: ['admin'], email: 'ana@here.example' },
    { name: 'Zoë Ångström', roles: ['it-manager'], email: 'zoe@elsewhere.example' },
    { name: 'Ben', email: 'ben@here.example', roles: ['finance-user'], invitedAt: at(1) },
    { name: 'Cleo', email: 'cleo@here.example', roles: ['finance-user', 'it-manager'], disabledAt: at(2) },
    { name: 'Dora', email: 'dora@here.example', roles: ['it-manager'], disabledAt: at(2), invitedAt: at(1) },
  ] as const
  for (const [day, person] of people.entries())
    ids.push(await addMember(customerId, { ...person, roles: [...person.roles], createdAt: at(day + 1) }))
})
afterAll(() => database.close())

const names = async (search: string) =>
  (await callApi(key, 'GET', `?${search}`)).json.members.map(({ name }: { name: string }) => name)

describe('listing members', () => {
  it('returns all, newest first, each with its details', async () => {
    const { json } = await callApi(key, 'GET', '')
    expect(json.members.map(({ name }: { name: string }) => name)).toEqual([
      'Dora',
      'Cleo',
      'Ben',
      'Zoë Ångström',
      'Ana Ruiz',
    ])
    expect(json.rowCount).toBe(5)
    expect(json.members.map(({ state }: { state: string }) => state)).toEqual([
      'disabled',
      'disabled',
      'invited',
      'active',
      'active',
    ])
    expect(json.members[1].roles).toEqual(['it-manager', 'finance-user'])
    expect(json.members[2]).not.toHaveProperty('inviteExpireTime')
    expect(JSON.stringify(json)).not.toMatch(/password|person/i)
  })

  it.each([
    ['filter=state:invited', ['Ben']],
    ['filter=state:Active', ['Zoë Ångström', 'Ana Ruiz']],
    ['filter=state:disabled', ['Dora', 'Cleo']],
    ['filter=state:invited|active|role:finance-user', ['Ben']],
    ['filter=role:admin|finance-user', ['Cleo', 'Ben', 'Ana Ruiz']],
    ['search=zoë', ['Zoë Ångström']],
    ['search=ELSEWHERE', ['Zoë Ångström']],
    ['search=be', ['Ben']],
    ['search=en', []],
    ['search=%25', []],
    ['search=ben&filter=state:active', []],
  ])('returns for %s the members %j', async (search, expected) => {
    expect(await names(search)).toEqual(expected)
  })

  it.each(['filter=state:gone', 'filter=name:Ana', 'filter=role:boss', 'pageToken=x', 'maxResults=0'])(
    'refuses %s',
    async (search) => {
      expect((await callApi(key, 'GET', `?${search}`)).status).toBe(400)
    },
  )

  it('goes page by page and back, and a token is for its own list', async () => {
    const first = (await callApi(key, 'GET', '?maxResults=2')).json
    const second = (await callApi(key, 'GET', `?maxResults=2&pageToken=${first.pageToken}`)).json
    const third = (await callApi(key, 'GET', `?maxResults=2&pageToken=${second.pageToken}`)).json
    const seen = [first, second, third].flatMap(({ members }) => members)
    expect(seen.map(({ id }) => id)).toEqual(ids.toReversed())
    expect(third.pageToken).toBeUndefined()
    const back = (await callApi(key, 'GET', `?maxResults=2&pageToken=${third.previousPageToken}`)).json
    expect(back.members).toEqual(second.members)
    const other = await callApi(key, 'GET', `?filter=role:admin&pageToken=${first.pageToken}`)
    expect(other.json.code).toBe('page_token_invalid')
  })
})

it('removed members are always disabled, because callers are looked up by that column only', async () => {
  const customer = await addNewCustomer()
  const id = await addMember(customer, { roles: ['admin'] })
  const remove = (more: string) =>
    database.sql(customer, `UPDATE members SET removed_at = now() ${more} WHERE id = $1`, [id])
  await expect(remove('')).rejects.toThrow('members_removed')
  await remove(', disabled_at = now()')
  await expect(
    database.sql(customer, 'UPDATE members SET disabled_at = NULL WHERE id = $1', [id]),
  ).rejects.toThrow('members_removed')
})
