import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { callApi, type Headers, opens, signedIn, withKey } from './test-calls.ts'

// Permissions for a key of another member, and for keys of one's own.

let database: TestDatabase
const callers = new Map<string, Headers>()
let [ana, made] = ['', 0]
beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['own', 'other']) await addCustomer(id)
  ana = await addMember('own', { roles: ['it-manager'] })
  callers.set('nobody', {})
  for (const role of ['it-manager', 'finance-user', 'admin'] as const) {
    const member = await addMember('own', { roles: [role] })
    callers.set(`${role}, signed in`, await signedIn('own', member))
    callers.set(`${role}, signed in long ago`, await signedIn('own', member, 11))
    callers.set(`${role}, by key`, await withKey('own', [role]))
  }
  callers.set('no role, signed in', await signedIn('own', await addMember('own', { roles: [] })))
  callers.set(
    'Admin of another customer',
    await signedIn('other', await addMember('other', { roles: ['admin'] })),
  )
  callers.set('Admin key of another customer', await withKey('other', ['admin']))
})
afterAll(() => database.close())

/**
 * Statuses per caller: list own, list all; read, rename, rotate, revoke another member's key; issue a key with each
 * role.
 */
const MATRIX: Record<string, string> = {
  nobody: '401 401 401 401 401 401 401 401 401',
  'no role, signed in': '200 403 404 404 404 404 403 403 403',
  'it-manager, signed in': '200 403 404 404 404 404 200 403 403',
  'it-manager, signed in long ago': '200 403 404 403 403 403 403 403 403',
  'it-manager, by key': '200 403 404 404 404 404 403 403 403',
  'finance-user, signed in': '200 403 404 404 404 404 403 200 403',
  'finance-user, signed in long ago': '200 403 404 403 403 403 403 403 403',
  'finance-user, by key': '200 403 404 404 404 404 403 403 403',
  'admin, signed in': '200 200 200 200 403 200 200 200 200',
  'admin, signed in long ago': '200 200 200 403 403 403 403 403 403',
  'admin, by key': '200 200 200 200 403 200 403 403 403',
  'Admin of another customer': '200 200 404 404 404 404 200 200 200',
  'Admin key of another customer': '200 200 404 404 404 404 403 403 403',
}

describe.each(Object.entries(MATRIX))('%s', (name, expected) => {
  it(`returns ${expected}`, async () => {
    const headers = callers.get(name)
    if (!headers) throw new Error(`Nobody is ${name}.`)
    const id = `of-ana-${++made}`
    const key = await addKey('own', ['it-manager'], { id, issuedBy: ana })
    const statuses = []
    for (const [method, rest, body] of [
      ['GET', ''],
      ['GET', '?whose=all'],
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { name: 'renamed' }],
      ['POST', `/${id}/rotation`, {}],
      ['DELETE', `/${id}`],
      ['POST', '', { name: 'new', roles: ['it-manager'] }],
      ['POST', '', { name: 'new', roles: ['finance-user'] }],
      ['POST', '', { name: 'new', roles: ['admin'] }],
    ] as const)
      statuses.push((await callApi(headers, method, rest, { body })).status)
    expect(statuses.join(' ')).toBe(expected)
    const isRevoked = expected.split(' ')[5] === '200'
    expect(await opens(key)).toBe(isRevoked ? 401 : 200)
  })
})

it('the matrix covers exactly these callers', () => {
  expect([...callers.keys()].sort()).toEqual(Object.keys(MATRIX).sort())
})
