import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/db/test-rows.ts'
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
