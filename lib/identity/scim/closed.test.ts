import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { callApi as askMembers, signedIn } from '#lib/identity/members/test-calls.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { callApi, GROUP_SCHEMA, patch, tokenOf, USER_SCHEMA } from './test-calls.ts'
import { revokeToken } from './tokens.ts'

let database: TestDatabase
let [customerId, token, admin, cleo] = ['', '', '', '']
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  customerId = await addNewCustomer()
  token = await tokenOf(customerId)
  admin = await addMember(customerId, { roles: ['admin'] })
  cleo = await addMember(customerId, { roles: ['it-manager'], name: 'Cleo' })
})

const close = () =>
  run(
    database.url,
    `SET console.operated = '${customerId}';
     UPDATE customers SET closed_at = now(), gone_at = now() + interval '30 days' WHERE id = '${customerId}'`,
  )
const memberOf = async (id = cleo) =>
  (
    await database.sql(
      customerId,
      'SELECT name, roles, disabled_at IS NOT NULL AS off, removed_at IS NOT NULL AS gone FROM members WHERE id = $1',
      [id],
    )
  )[0]
const CLOSED = { status: 403, json: { detail: expect.stringContaining('Everything can be read until') } }

describe('a directory at a closed customer', () => {
  it.each([
    ['PATCH', () => patch({ op: 'replace', path: 'active', value: false }), false],
    [
      'PUT',
      (id: string) => ({ schemas: [USER_SCHEMA], userName: id, displayName: 'Cleo Marsh', active: false }),
      false,
    ],
    ['DELETE', () => undefined, true],
  ] as const)('shuts out who leaves, by %s, and changes nothing else', async (method, body, isRemoved) => {
    const session = await signedIn(customerId, cleo)
    await close()
    const email = `${cleo}@${customerId}.example`
    const answer = await callApi(token, method, `/Users/${cleo}`, { body: body(email) })
    expect(answer.status).toBeLessThan(300)
    expect(await memberOf()).toEqual({ name: 'Cleo', roles: ['it-manager'], off: true, gone: isRemoved })
    expect((await askMembers(session, 'GET', '')).status).toBe(401)
  })

  it('grants no access', async () => {
    const group = { schemas: [GROUP_SCHEMA], displayName: 'Staff' }
    const made = await callApi(token, 'POST', '/Groups', { body: group })
    await callApi(token, 'PATCH', `/Users/${cleo}`, {
      body: patch({ op: 'replace', path: 'active', value: false }),
    })
    await close()
    const calls = [
      ['POST', '/Users', { schemas: [USER_SCHEMA], userName: `new@${customerId}.example` }],
      ['PATCH', `/Users/${cleo}`, patch({ op: 'replace', path: 'active', value: true })],
      ['PATCH', `/Users/${admin}`, patch({ op: 'replace', path: 'displayName', value: 'Ann' })],
      ['PATCH', `/Groups/${made.json.id}`, patch({ op: 'add', path: 'members', value: [{ value: cleo }] })],
      ['POST', '/Groups', { ...group, displayName: 'More' }],
    ] as const
    for (const [method, path, body] of calls)
      expect(await callApi(token, method, path, { body })).toMatchObject(CLOSED)
    expect(await memberOf()).toMatchObject({ off: true })
  })

  it('is rejected once its token is revoked', async () => {
    await close()
    const [row] = await database.sql(customerId, 'SELECT id FROM scim_tokens')
    const caller = {
      customerId: newCustomerId(customerId),
      via: 'operator',
      id: 'operator',
      name: 'Op',
      roles: [],
    }
    const revoke = (tx: Transaction) => revokeToken(tx, caller as never, String(row?.id), 'request')
    await scope({ customerId: newCustomerId(customerId) }, revoke, { evenIfClosed: true })
    expect((await callApi(token, 'GET', '/Users')).status).toBe(401)
  })
})

describe('an Admin at a closed customer', () => {
  it('disables a member by the API, and changes nothing else', async () => {
    const headers = await signedIn(customerId, await addMember(customerId, { roles: ['admin'] }))
    await close()
    const more = await askMembers(headers, 'PATCH', `/${cleo}`, { disabled: true, name: 'Cleo Marsh' })
    expect(more).toMatchObject({ status: 403, json: { code: 'customer_closed' } })
    expect(more.json.detail).toContain('Everything can be read until')
    expect((await askMembers(headers, 'PATCH', `/${cleo}`, { disabled: true })).status).toBe(200)
    expect(await memberOf()).toMatchObject({ name: 'Cleo', off: true })
    expect(await askMembers(headers, 'PATCH', `/${cleo}`, { disabled: false })).toMatchObject({ status: 403 })
    expect(await memberOf()).toMatchObject({ off: true })
  })
})
