import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operatorOf } from '#lib/admin/licenses/operator.ts'
import { setUp } from '#lib/identity/access/sign-on/test-browser.ts'
import { mapGroup } from '#lib/identity/scim/groups.ts'
import { callApi as scim, tokenOf } from '#lib/identity/scim/test-calls.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { DEEP } from '../../../test/fakes/deep.ts'
import { changeMember } from './operations.ts'
import { callApi, signedIn, withKey } from './test-calls.ts'

let database: TestDatabase
let testCustomer = ''
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  testCustomer = await addNewCustomer()
})

const admins = () =>
  database.sql(
    testCustomer,
    "SELECT id FROM members WHERE roles @> '{admin}' AND disabled_at IS NULL AND invited_at IS NULL",
  )
const full = () =>
  database.sql(
    testCustomer,
    `SELECT id FROM members WHERE roles @> '{admin}' AND disabled_at IS NULL AND invited_at IS NULL
     AND billing_profiles IS NULL`,
  )
const ADMIN = { roles: ['admin' as const] }
/** Parallel changes of a round: enough for each of six Admins to be reached by each of the five ways. */
const CHANGES = DEEP ? 100 : 30

describe('the last Admin', () => {
  it.each([
    ['disabled', { disabled: true }],
    ['without the role', { roles: ['it-manager'] }],
    ['both', { roles: ['it-manager'], disabled: true, name: 'New' }],
    ['limited', { billingProfiles: ['default'] }],
  ])('can’t be %s, and stays the one who sees all billing profiles', async (_, body) => {
    const id = await addMember(testCustomer, ADMIN)
    const limited = await addMember(testCustomer, { ...ADMIN, billingProfiles: ['default'] })
    await addMember(testCustomer, { ...ADMIN, disabledAt: new Date() })
    await addMember(testCustomer, { ...ADMIN, invitedAt: new Date() })
    const headers = await signedIn(testCustomer, id)
    const { status, json } = await callApi(headers, 'PATCH', `/${id}`, body)
    expect([status, json.code]).toEqual([409, 'last_admin'])
    for (const by of [await signedIn(testCustomer, limited), await withKey(testCustomer, ['admin'])]) {
      const { status, json } = await callApi(by, 'PATCH', `/${id}`, body)
      expect([status, json.code]).toEqual([403, 'permission_denied'])
    }
    expect(await full()).toEqual([{ id }])
    expect((await callApi(headers, 'GET', `/${id}`)).json).toMatchObject({
      roles: ['admin'],
      state: 'active',
      name: id,
    })
  })

  it('is another one as soon as another Admin has accepted', async () => {
    const id = await addMember(testCustomer, ADMIN)
    const other = await addMember(testCustomer, { ...ADMIN, invitedAt: new Date() })
    const headers = await signedIn(testCustomer, id)
    expect((await callApi(headers, 'PATCH', `/${id}`, { disabled: true })).status).toBe(409)
    await database.sql(testCustomer, 'UPDATE members SET invited_at = NULL WHERE id = $1', [other])
    expect((await callApi(headers, 'PATCH', `/${id}`, { disabled: true })).status).toBe(200)
    expect(await admins()).toEqual([{ id: other }])
  })

  describe('with single sign-on as the only method, while passwords are off,', () => {
    let [ana, ben] = ['', '']
    beforeEach(async () => {
      const customerId = testCustomer as CustomerId
      const provider = await setUp(customerId, `${testCustomer}.example`, { issuer: 'https://login.example' })
      ana = await addMember(testCustomer, { ...ADMIN, email: `ana@${testCustomer}.example` })
      ben = await addMember(testCustomer, { ...ADMIN, email: `ben@${testCustomer}.example` })
      for (const [id, came] of [
        [ana, '1 minute'],
        // A sign-in before the provider was changed.
        [ben, '-1 minute'],
      ])
        await database.sql(
          testCustomer,
          `INSERT INTO sign_on_subjects (customer_id, provider_id, subject, member_id, last_sign_in_at)
           VALUES ($1, $2, $3, $3, now() + $4::interval)`,
          [testCustomer, provider, id, came],
        )
      await passwords('now()')
    })
    const passwords = (since: string) =>
      database.sql(testCustomer, `UPDATE customers SET sign_on_only_since = ${since} WHERE id = $1`, [
        testCustomer,
      ])
    const still = () =>
      database.sql(
        testCustomer,
        "SELECT FROM members WHERE id = $1 AND roles @> '{admin}' AND disabled_at IS NULL",
        [ana],
      )
    it('stays despite another Admin, for a session, the operator, and a directory', async () => {
      const why = /of the Admins this one alone has come by single sign-on/
      const token = await tokenOf(testCustomer, ['admin'])
      const headers = await signedIn(testCustomer, ben)
      for (const body of [{ disabled: true }, { roles: ['it-manager'] }, { billingProfiles: ['default'] }]) {
        const { status, json } = await callApi(headers, 'PATCH', `/${ana}`, body)
        expect([status, json.code, json.detail]).toEqual([409, 'last_admin', expect.stringMatching(why)])
      }
      const operator = await operatorOf(testCustomer, ['admin'])
      const input = { params: { member_id: ana }, query: {}, body: { disabled: true } }
      await expect(changeMember(operator, input, { requestId: 'test' })).rejects.toThrow(why)
      for (const [method, body] of [['PATCH', LEAVER] as const, ['DELETE', undefined] as const]) {
        const { status, json } = await scim(token, method, `/Users/${ana}`, { body })
        expect([status, json.detail]).toEqual([409, expect.stringMatching(why)])
      }
      expect(await still()).toHaveLength(1)
      // The other Admin may leave, and is not required for access.
      expect(
        (await callApi(await signedIn(testCustomer, ana), 'PATCH', `/${ben}`, { disabled: true })).status,
      ).toBe(200)
    })

    it('may leave once another Admin has signed in so, or passwords are on again', async () => {
      await database.sql(
        testCustomer,
        "UPDATE sign_on_subjects SET last_sign_in_at = now() + interval '1 minute'",
      )
      expect(
        (await callApi(await signedIn(testCustomer, ben), 'PATCH', `/${ana}`, { disabled: true })).status,
      ).toBe(200)
      await database.sql(testCustomer, 'UPDATE members SET disabled_at = NULL')
      await database.sql(testCustomer, 'DELETE FROM sign_on_subjects WHERE member_id = $1', [ben])
      await passwords('NULL')
      expect(
        (await callApi(await signedIn(testCustomer, ben), 'PATCH', `/${ana}`, { disabled: true })).status,
      ).toBe(200)
    })
  })

  it('is never one of another customer', async () => {
    const other = await addNewCustomer()
    await addMember(other, ADMIN)
    const id = await addMember(testCustomer, ADMIN)
    expect(
      (await callApi(await signedIn(testCustomer, id), 'PATCH', `/${id}`, { disabled: true })).status,
    ).toBe(409)
  })
})

describe('concurrently', () => {
  const cases: [string, object, object][] = [
    ['disable each other', { disabled: true }, { disabled: true }],
    ['take the role from each other', { roles: ['it-manager'] }, { roles: ['it-manager'] }],
    ['do the one and the other', { disabled: true }, { roles: ['finance-user'] }],
  ]
  it.each(cases)('two Admins %s, and one of them stays', async (_, one, other) => {
    for (let round = 0; round < 10; round++) {
      testCustomer = await addNewCustomer()
      const [ana, ben] = [await addMember(testCustomer, ADMIN), await addMember(testCustomer, ADMIN)]
      const [byAna, byBen] = [await signedIn(testCustomer, ana), await signedIn(testCustomer, ben)]
      const answers = await Promise.all([
        callApi(byAna, 'PATCH', `/${ben}`, one),
        callApi(byBen, 'PATCH', `/${ana}`, other),
      ])
      // A caller who was disabled or lost the role before their request was authenticated gets 401 or 403.
      const codes = answers.map(({ status, json }) => (status === 200 ? 'done' : json.code))
      expect(codes).toContain('done')
      expect(codes.filter((code) => code === 'done')).toHaveLength(1)
      expect(['last_admin', 'unauthenticated', 'permission_denied']).toContain(
        codes.find((code) => code !== 'done'),
      )
      expect(await admins()).toHaveLength(1)
    }
  })

  it('many Admins who disable each other leave one', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => addMember(testCustomer, ADMIN)))
    const answers = await Promise.all(ids.map((id) => byOperator(id, { disabled: true })))
    expect(answers.sort()).toEqual([...Array(7).fill('done'), 'last_admin'])
    expect(await admins()).toHaveLength(1)
  })

  // Each round: Admins with and without limits change each other, while keys, the operator, a directory and its groups
  // do, too. Only rules that count under the locks leave exactly one Admin who sees all billing profiles.
  it.each([
    ['disable', { disabled: true }],
    ['demote', { roles: ['it-manager'] }],
    ['limit', { billingProfiles: ['default'] }],
    ['disable, demote and limit', undefined],
  ] as const)(
    `${CHANGES} parallel changes that %s Admins leave one who sees all billing profiles`,
    async (_, only) => {
      const bodies = [{ disabled: true }, { roles: ['it-manager'] }, { billingProfiles: ['default'] }]
      const admins = await Promise.all(Array.from({ length: 6 }, () => addMember(testCustomer, ADMIN)))
      const limited = await Promise.all(
        [1, 2].map(() => addMember(testCustomer, { ...ADMIN, billingProfiles: ['default'] })),
      )
      const sessions = await Promise.all([...admins, ...limited].map((id) => signedIn(testCustomer, id)))
      const key = await withKey(testCustomer, ['admin'])
      const token = await tokenOf(testCustomer, ['admin'])
      const group = await groupOf(token, admins)
      const attempts = Array.from({ length: CHANGES }, (_, at): Promise<unknown> => {
        const target = admins[at % admins.length] ?? ''
        const body = only ?? bodies[at % bodies.length] ?? {}
        switch (at % 5) {
          case 0:
            return byOperator(target, body)
          case 1:
            return 'disabled' in body
              ? scim(token, 'PATCH', `/Users/${target}`, { body: LEAVER })
              : byOperator(target, body)
          case 2:
            return scim(token, 'PATCH', `/Groups/${group}`, { body: withoutMember(target) })
          case 3:
            return callApi(key, 'PATCH', `/${target}`, body)
          default:
            return callApi(sessions[at % sessions.length] ?? {}, 'PATCH', `/${target}`, body)
        }
      })
      await Promise.all(attempts)
      expect(await full()).toHaveLength(1)
    },
  )
})

const LEAVER = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value: false }],
}

/** Returns the SCIM request that removes a member from a group. */
const withoutMember = (id: string) => ({
  schemas: LEAVER.schemas,
  Operations: [{ op: 'remove', path: `members[value eq "${id}"]` }],
})

/** Adds a directory's group that makes its members Admins with all billing profiles, and returns its id. */
async function groupOf(token: string, members: readonly string[]): Promise<string> {
  const operator = await operatorOf(testCustomer, ['admin'])
  const mapping = { name: 'Admins', roles: ['admin' as const], billingProfiles: null }
  await scope(operator, (tx) => mapGroup(tx, operator, mapping, 'test'))
  const [group] = (await scim(token, 'GET', '/Groups')).json.Resources
  const value = members.map((id) => ({ value: id }))
  const body = { schemas: LEAVER.schemas, Operations: [{ op: 'add', path: 'members', value }] }
  expect((await scim(token, 'PATCH', `/Groups/${group.id}`, { body })).status).toBe(200)
  return group.id
}

/** Changes a member as the operator, and returns `done` or the problem's code. */
async function byOperator(id: string, body: object): Promise<string> {
  const operator = await operatorOf(testCustomer, ['admin'])
  const input = { params: { member_id: id }, query: {}, body }
  return changeMember(operator, input, { requestId: 'test' }).then(
    () => 'done',
    (error: unknown) => toProblem(error).code,
  )
}
