import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operatorOf } from '#lib/admin/members.ts'
import { setUp } from '#lib/identity/access/sign-on/test-browser.ts'
import { ask as scim, tokenOf } from '#lib/identity/scim/test-calls.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { changeMember } from './operations.ts'
import { ask, type Headers, signedIn, withKey } from './test-calls.ts'

let database: TestDatabase
let own = ''
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  own = await addNewCustomer()
})

const admins = () =>
  database.sql(
    own,
    "SELECT id FROM members WHERE roles @> '{admin}' AND disabled_at IS NULL AND invited_at IS NULL",
  )
const ADMIN = { roles: ['admin' as const] }

describe('the last Admin', () => {
  it.each([
    ['disabled', { disabled: true }],
    ['without the role', { roles: ['it-manager'] }],
    ['both', { roles: ['it-manager'], disabled: true, name: 'New' }],
  ])('is not %s: by themselves, nor by a key', async (_, body) => {
    const id = await addMember(own, ADMIN)
    await addMember(own, { ...ADMIN, disabledAt: new Date() })
    await addMember(own, { ...ADMIN, invitedAt: new Date() })
    const key = await withKey(own, ['admin'])
    for (const headers of [await signedIn(own, id), key]) {
      const { status, json } = await ask(headers, 'PATCH', `/${id}`, body)
      expect([status, json.code]).toEqual([409, 'last_admin'])
    }
    expect(await admins()).toEqual([{ id }])
    expect((await ask(key, 'GET', `/${id}`)).json).toMatchObject({
      roles: ['admin'],
      state: 'active',
      name: id,
    })
  })

  it('is somebody else as soon as another one has come', async () => {
    const id = await addMember(own, ADMIN)
    const other = await addMember(own, { ...ADMIN, invitedAt: new Date() })
    const headers = await signedIn(own, id)
    expect((await ask(headers, 'PATCH', `/${id}`, { disabled: true })).status).toBe(409)
    await database.sql(own, 'UPDATE members SET invited_at = NULL WHERE id = $1', [other])
    expect((await ask(headers, 'PATCH', `/${id}`, { disabled: true })).status).toBe(200)
    expect(await admins()).toEqual([{ id: other }])
  })

  describe('who has come by single sign-on, while passwords are off,', () => {
    let [ana, ben] = ['', '']
    beforeEach(async () => {
      const customerId = own as CustomerId
      const provider = await setUp(customerId, `${own}.example`, { issuer: 'https://login.example' })
      ana = await addMember(own, { ...ADMIN, email: `ana@${own}.example` })
      ben = await addMember(own, { ...ADMIN, email: `ben@${own}.example` })
      for (const [id, came] of [
        [ana, '1 minute'],
        // Before the provider was changed.
        [ben, '-1 minute'],
      ])
        await database.sql(
          own,
          `INSERT INTO sign_on_subjects (customer_id, provider_id, subject, member_id, last_sign_in_at)
           VALUES ($1, $2, $3, $3, now() + $4::interval)`,
          [own, provider, id, came],
        )
      await passwords('now()')
    })
    const passwords = (since: string) =>
      database.sql(own, `UPDATE customers SET sign_on_only_since = ${since} WHERE id = $1`, [own])
    const still = () =>
      database.sql(own, "SELECT FROM members WHERE id = $1 AND roles @> '{admin}' AND disabled_at IS NULL", [
        ana,
      ])
    const LEAVER = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    }

    it('stays, though there is another: by a session, a key, the operator, and a directory', async () => {
      const why = /of the Admins this one alone has come by single sign-on/
      const token = await tokenOf(own, ['admin'])
      for (const headers of [await signedIn(own, ben), await withKey(own, ['admin'])])
        for (const body of [{ disabled: true }, { roles: ['it-manager'] }]) {
          const { status, json } = await ask(headers, 'PATCH', `/${ana}`, body)
          expect([status, json.code, json.detail]).toEqual([409, 'last_admin', expect.stringMatching(why)])
        }
      const operator = await operatorOf({ customer: own, email: '' })
      const input = { params: { member_id: ana }, query: {}, body: { disabled: true } }
      await expect(changeMember(operator, input, { requestId: 'test' })).rejects.toThrow(why)
      for (const [method, body] of [['PATCH', LEAVER] as const, ['DELETE', undefined] as const]) {
        const { status, json } = await scim(token, method, `/Users/${ana}`, body)
        expect([status, json.detail]).toEqual([409, expect.stringMatching(why)])
      }
      expect(await still()).toHaveLength(1)
      // The other one may go, and keeps nobody out.
      expect((await ask(await signedIn(own, ana), 'PATCH', `/${ben}`, { disabled: true })).status).toBe(200)
    })

    it('may go once another has come so, or passwords open again', async () => {
      await database.sql(own, "UPDATE sign_on_subjects SET last_sign_in_at = now() + interval '1 minute'")
      expect((await ask(await signedIn(own, ben), 'PATCH', `/${ana}`, { disabled: true })).status).toBe(200)
      await database.sql(own, 'UPDATE members SET disabled_at = NULL')
      await database.sql(own, 'DELETE FROM sign_on_subjects WHERE member_id = $1', [ben])
      await passwords('NULL')
      expect((await ask(await signedIn(own, ben), 'PATCH', `/${ana}`, { disabled: true })).status).toBe(200)
    })
  })

  it('is one of another customer never', async () => {
    const other = await addNewCustomer()
    await addMember(other, ADMIN)
    const id = await addMember(own, ADMIN)
    expect((await ask(await signedIn(own, id), 'PATCH', `/${id}`, { disabled: true })).status).toBe(409)
  })
})

describe('at the same moment', () => {
  const ways: [string, object, object][] = [
    ['disable each other', { disabled: true }, { disabled: true }],
    ['take the role from each other', { roles: ['it-manager'] }, { roles: ['it-manager'] }],
    ['do the one and the other', { disabled: true }, { roles: ['finance-user'] }],
  ]
  it.each(ways)('two Admins %s: one of them stays', async (_, one, other) => {
    for (let round = 0; round < 10; round++) {
      own = await addNewCustomer()
      const [ana, ben] = [await addMember(own, ADMIN), await addMember(own, ADMIN)]
      const [byAna, byBen] = [await signedIn(own, ana), await signedIn(own, ben)]
      const answers = await Promise.all([
        ask(byAna, 'PATCH', `/${ben}`, one),
        ask(byBen, 'PATCH', `/${ana}`, other),
      ])
      // Who was disabled or cut before their request was looked at is refused as nobody, or as no Admin.
      const codes = answers.map(({ status, json }) => (status === 200 ? 'done' : json.code))
      expect(codes).toContain('done')
      expect(codes.filter((code) => code === 'done')).toHaveLength(1)
      expect(['last_admin', 'unauthenticated', 'permission_denied']).toContain(
        codes.find((code) => code !== 'done'),
      )
      expect(await admins()).toHaveLength(1)
    }
  })

  it('of many Admins who all go at once, one stays', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => addMember(own, ADMIN)))
    const keys: Headers[] = await Promise.all(ids.map(() => withKey(own, ['admin'])))
    const answers = await Promise.all(
      ids.map((id, at) => ask(keys[at] ?? {}, 'PATCH', `/${id}`, { disabled: true })),
    )
    const codes = answers.map(({ status, json }) => (status === 200 ? 'done' : json.code)).sort()
    expect(codes).toEqual([...Array(7).fill('done'), 'last_admin'])
    expect(await admins()).toHaveLength(1)
  })
})
