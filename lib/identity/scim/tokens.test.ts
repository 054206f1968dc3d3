import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { opens } from '#lib/identity/keys/test-calls.ts'
import { signedIn } from '#lib/identity/members/test-calls.ts'
import { newScimToken } from '#lib/platform/caller/credentials.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { ALL, callApi, tokenOf } from './test-calls.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('own')
})
afterAll(() => database.close())

const revoke = (change: string) =>
  database.sql('own', `UPDATE scim_tokens SET ${change} WHERE revoked_at IS NULL`)

describe('SCIM rejects other credentials', () => {
  const callers: [string, () => Promise<{ token: string; headers?: Record<string, string> }>][] = [
    ['nothing', async () => ({ token: '' })],
    ['an unknown token', async () => ({ token: newScimToken() })],
    ['a malformed token', async () => ({ token: `${newScimToken()}x` })],
    ['an API key of an Admin', async () => ({ token: await addKey('own', ['admin']) })],
    [
      'a session of an Admin',
      async () => ({
        token: '',
        headers: await signedIn('own', await addMember('own', { roles: ['admin'] })),
      }),
    ],
    ['an expired token', async () => ({ token: await tokenOf('own', ['admin'], 0) })],
    [
      'a revoked token',
      async () => {
        const token = await tokenOf('own', ['admin'])
        expect((await callApi(token, 'GET', '/Users')).status).toBe(200)
        await revoke('revoked_at = now()')
        return { token }
      },
    ],
  ]
  it.each(callers)('%s', async (_, make) => {
    const { token, headers } = await make()
    for (const [method, rest] of ALL) {
      const { status, json } = await callApi(token, method, rest, { headers })
      expect([method, rest, status, json.status]).toEqual([method, rest, 401, '401'])
    }
  })
})

it('a token opens SCIM and not the API, and its last use is stored', async () => {
  const token = await tokenOf('own', ['admin'])
  expect((await callApi(token, 'GET', '/ServiceProviderConfig')).json).toMatchObject({
    patch: { supported: true },
  })
  expect(await opens(token)).toBe(401)
  const [row] = await database.sql(
    'own',
    'SELECT last_used_at IS NOT NULL AS used, last_four FROM scim_tokens WHERE revoked_at IS NULL',
  )
  expect(row).toEqual({ used: true, last_four: token.slice(-4) })
})

it('a token whose row is locked opens immediately, and storing its last use does not wait', async () => {
  const token = await tokenOf('own')
  const [gate, isLocked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const locking = scope({ customerId: newCustomerId('own') }, async (tx) => {
    await tx.execute('SELECT FROM scim_tokens FOR UPDATE')
    isLocked.resolve()
    await gate.promise
  })
  await isLocked.promise
  try {
    expect((await callApi(token, 'GET', '/Users')).status).toBe(200)
  } finally {
    gate.resolve()
    await locking
  }
})

it('the database role that finds tokens updates only their last use, and other roles can’t read digests', async () => {
  const { keys, app, reads } = database.opened
  for (const query of ['UPDATE scim_tokens SET revoked_at = NULL', 'SELECT last_four FROM scim_tokens'])
    await expect(keys.query(query)).rejects.toMatchObject({ code: '42501' })
  for (const pool of [app, reads])
    await expect(pool.query('SELECT digest FROM scim_tokens')).rejects.toMatchObject({ code: '42501' })
})
