import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ask as askMembers, signedIn, withKey } from '#lib/identity/members/test-calls.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-server.ts'
import { ask, GROUP_SCHEMA, patch, tokenOf, USER_SCHEMA } from './test-calls.ts'
import { revokeToken } from './tokens.ts'

let database: TestDatabase
let [own, token, admin, cleo] = ['', '', '', '']
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  own = await addNewCustomer()
  token = await tokenOf(own)
  admin = await addMember(own, { roles: ['admin'] })
  cleo = await addMember(own, { roles: ['it-manager'], name: 'Cleo' })
})

const close = () =>
  run(
    database.url,
    `SET console.operated = '${own}';
     UPDATE customers SET closed_at = now(), gone_at = now() + interval '30 days' WHERE id = '${own}'`,
  )
const memberOf = async (id = cleo) =>
  (
    await database.sql(
      own,
      'SELECT name, roles, disabled_at IS NOT NULL AS off, removed_at IS NOT NULL AS gone FROM members WHERE id = $1',
      [id],
    )
  )[0]
const CLOSED = { status: 403, json: { detail: expect.stringContaining('Everything can be read until') } }

describe('at a closed customer a directory', () => {
  it.each([
    ['PATCH', () => patch({ op: 'replace', path: 'active', value: false }), false],
    [
      'PUT',
      (id: string) => ({ schemas: [USER_SCHEMA], userName: id, displayName: 'Cleo Marsh', active: false }),
      false,
    ],
    ['DELETE', () => undefined, true],
  ] as const)('shuts out who leaves, by %s, and changes nothing else', async (method, body, gone) => {
    const session = await signedIn(own, cleo)
    await close()
    const email = `${cleo}@${own}.example`
    const answer = await ask(token, method, `/Users/${cleo}`, body(email))
    expect(answer.status).toBeLessThan(300)
    expect(await memberOf()).toEqual({ name: 'Cleo', roles: ['it-manager'], off: true, gone })
    expect((await askMembers(session, 'GET', '')).status).toBe(401)
  })

  it('gives nobody anything', async () => {
    const group = { schemas: [GROUP_SCHEMA], displayName: 'Staff' }
    const made = await ask(token, 'POST', '/Groups', group)
    await ask(token, 'PATCH', `/Users/${cleo}`, patch({ op: 'replace', path: 'active', value: false }))
    await close()
    const calls = [
      ['POST', '/Users', { schemas: [USER_SCHEMA], userName: `new@${own}.example` }],
      ['PATCH', `/Users/${cleo}`, patch({ op: 'replace', path: 'active', value: true })],
      ['PATCH', `/Users/${admin}`, patch({ op: 'replace', path: 'displayName', value: 'Ann' })],
      ['PATCH', `/Groups/${made.json.id}`, patch({ op: 'add', path: 'members', value: [{ value: cleo }] })],
      ['POST', '/Groups', { ...group, displayName: 'More' }],
    ] as const
    for (const [method, path, body] of calls)
      expect(await ask(token, method, path, body)).toMatchObject(CLOSED)
    expect(await memberOf()).toMatchObject({ off: true })
  })

  it('is shut out itself, where its token is revoked', async () => {
    await close()
    const [row] = await database.sql(own, 'SELECT id FROM scim_tokens')
    const caller = { customerId: newCustomerId(own), via: 'operator', id: 'operator', name: 'Op', roles: [] }
    const revoke = (tx: Transaction) => revokeToken(tx, caller as never, String(row?.id), 'request')
    await scope({ customerId: newCustomerId(own) }, revoke, { evenIfClosed: true })
    expect((await ask(token, 'GET', '/Users')).status).toBe(401)
  })
})

describe('at a closed customer an Admin', () => {
  it('disables a member by the API, and changes nothing else', async () => {
    const headers = await withKey(own, ['admin'])
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
