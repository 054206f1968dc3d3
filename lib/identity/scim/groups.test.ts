import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Role } from '#lib/platform/caller/rules.ts'
import { findCustomer } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { mapGroup } from './groups.ts'
import { callApi, GROUP_SCHEMA, patch, tokenOf, USER_SCHEMA } from './test-calls.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

let testCustomer = ''
let token = ''
beforeEach(async () => {
  testCustomer = await addNewCustomer()
  token = await tokenOf(testCustomer)
  await addProfile(testCustomer, 'emea')
})

async function map(name: string, roles: Role[], billingProfiles: string[] | null = null) {
  const customer = await findCustomer(testCustomer)
  if (!customer) throw new Error('There is no such customer.')
  const { customerId, name: customerName, domain: customerDomain } = customer
  const operator = { id: 'operator', name: 'Operator', email: '', via: 'operator' as const }
  const caller = { customerId, customerName, customerDomain, ...operator, roles: [], billingProfiles: [] }
  await scope(caller, (tx) => mapGroup(tx, caller, { name, roles, billingProfiles }, 'request-1'))
  return (await callApi(token, 'GET', `/Groups?filter=${encodeURIComponent(`displayName eq "${name}"`)}`))
    .json.Resources[0].id as string
}
const user = async (name: string) => {
  const userBody = { schemas: [USER_SCHEMA], userName: `${name}@${testCustomer}.example` }
  return (await callApi(token, 'POST', '/Users', { body: userBody })).json.id as string
}
const accessOf = async (id: string) =>
  (
    await database.sql(
      testCustomer,
      'SELECT roles, billing_profiles AS profiles FROM members WHERE id = $1',
      [id],
    )
  )[0]
const add = (...ids: string[]) =>
  patch({ op: 'Add', path: 'members', value: ids.map((value) => ({ value })) })
const readGroup = async (id: string) => (await callApi(token, 'GET', `/Groups/${id}`)).json

describe('a group', () => {
  it('grants and removes nothing until it is mapped, and its mapped access from then on', async () => {
    const [cleo, ben] = [await user('cleo'), await addMember(testCustomer, { roles: ['it-manager'] })]
    const made = await callApi(token, 'POST', '/Groups', {
      body: {
        schemas: [GROUP_SCHEMA, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
        externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
        displayName: 'Billing',
        meta: { resourceType: 'Group' },
        members: [{ value: cleo }, { value: ben }],
      },
    })
    expect(made).toMatchObject({
      status: 201,
      json: { displayName: 'Billing', meta: { resourceType: 'Group' } },
    })
    expect(made.json.members.map(({ value }: { value: string }) => value).sort()).toEqual([cleo, ben].sort())
    expect(await accessOf(cleo)).toEqual({ roles: [], profiles: [] })
    expect(await accessOf(ben)).toEqual({ roles: ['it-manager'], profiles: null })
    await map('Billing', ['finance-user'], ['emea'])
    for (const id of [cleo, ben])
      expect(await accessOf(id)).toEqual({ roles: ['finance-user'], profiles: ['emea'] })
    expect((await callApi(token, 'GET', `/Users/${cleo}`)).json.groups).toMatchObject([
      { display: 'Billing' },
    ])
  })

  it('adds its access to that of other groups, and removes it when the group is deleted', async () => {
    const cleo = await user('cleo')
    const [billing, it] = [
      await map('Billing', ['finance-user'], ['emea']),
      await map('IT', ['it-manager'], []),
    ]
    for (const id of [billing, it])
      expect((await callApi(token, 'PATCH', `/Groups/${id}`, { body: add(cleo) })).status).toBe(200)
    expect(await accessOf(cleo)).toEqual({ roles: ['it-manager', 'finance-user'], profiles: ['emea'] })
    const out = patch({ op: 'Remove', path: `members[value eq "${cleo}"]` })
    expect((await callApi(token, 'PATCH', `/Groups/${billing}`, { body: out })).json.members).toEqual([])
    expect(await accessOf(cleo)).toEqual({ roles: ['it-manager'], profiles: [] })
    expect((await callApi(token, 'DELETE', `/Groups/${it}`)).status).toBe(204)
    expect(await accessOf(cleo)).toEqual({ roles: [], profiles: [] })
    expect((await callApi(token, 'GET', `/Groups/${it}`)).status).toBe(404)
  })

  it.each([
    ['members and a filter', (id: string) => ({ op: 'remove', path: `members[value eq "${id}"]` })],
    ['members and values', (id: string) => ({ op: 'Remove', path: 'members', value: [{ value: id }] })],
    ['all members', () => ({ op: 'remove', path: 'members' })],
    ['others instead', () => ({ op: 'replace', path: 'members', value: [] })],
    ['others instead, without a path', () => ({ op: 'replace', value: { members: [], id: 'x' } })],
  ])('loses members by %s', async (_, operation) => {
    const [cleo, group] = [await user('cleo'), await map('IT', ['it-manager'])]
    await callApi(token, 'PATCH', `/Groups/${group}`, { body: add(cleo) })
    expect(await accessOf(cleo)).toEqual({ roles: ['it-manager'], profiles: null })
    expect((await callApi(token, 'PATCH', `/Groups/${group}`, { body: patch(operation(cleo)) })).status).toBe(
      200,
    )
    expect(await accessOf(cleo)).toEqual({ roles: [], profiles: [] })
  })

  it('grants no role beyond the token’s, and the request leaves nothing behind', async () => {
    const [cleo, group] = [await user('cleo'), await map('Admins', ['admin'])]
    expect((await callApi(token, 'PATCH', `/Groups/${group}`, { body: add(cleo) })).status).toBe(403)
    expect((await readGroup(group)).members).toEqual([])
    expect(await accessOf(cleo)).toEqual({ roles: [], profiles: [] })
    expect(
      (
        await callApi(await tokenOf(testCustomer, ['admin']), 'PATCH', `/Groups/${group}`, {
          body: add(cleo),
        })
      ).status,
    ).toBe(200)
    expect(await accessOf(cleo)).toEqual({ roles: ['admin'], profiles: null })
  })

  it('does not remove the role of the last Admin', async () => {
    const [ana, group] = [
      await addMember(testCustomer, { roles: ['admin'] }),
      await map('IT', ['it-manager']),
    ]
    expect((await callApi(token, 'PATCH', `/Groups/${group}`, { body: add(ana) })).status).toBe(409)
    expect(await accessOf(ana)).toEqual({ roles: ['admin'], profiles: null })
  })

  it('has a unique name, which changes by PATCH as Okta writes it and by PUT', async () => {
    const [one] = [await map('One', ['it-manager']), await map('Two', ['it-manager'])]
    const named = (displayName: string) => patch({ op: 'replace', value: { id: one, displayName } })
    expect((await callApi(token, 'PATCH', `/Groups/${one}`, { body: named('two') })).json).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
    })
    expect((await callApi(token, 'PATCH', `/Groups/${one}`, { body: named('Three') })).json.displayName).toBe(
      'Three',
    )
    const [cleo, whole] = [await user('cleo'), { schemas: [GROUP_SCHEMA], displayName: 'Four' }]
    const put = await callApi(token, 'PUT', `/Groups/${one}`, {
      body: { ...whole, members: [{ value: cleo }] },
    })
    expect(put.json).toMatchObject({ displayName: 'Four', members: [{ value: cleo }] })
    expect(await accessOf(cleo)).toEqual({ roles: ['it-manager'], profiles: null })
    expect((await callApi(token, 'POST', '/Groups', { body: whole })).status).toBe(409)
  })

  it('is listed without its members where they are excluded', async () => {
    await callApi(token, 'PATCH', `/Groups/${await map('IT', ['it-manager'])}`, {
      body: add(await user('cleo')),
    })
    const without = (await callApi(token, 'GET', '/Groups?excludedAttributes=members')).json
    expect(without).toMatchObject({ totalResults: 1, Resources: [{ displayName: 'IT' }] })
    expect(without.Resources[0]).not.toHaveProperty('members')
    expect((await callApi(token, 'GET', '/Groups')).json.Resources[0].members).toHaveLength(1)
  })

  it('takes members from concurrent requests, and two groups with the same members do not deadlock', async () => {
    const ids = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(user))
    const groups = [await map('One', ['it-manager']), await map('Two', ['finance-user'])]
    const answers = await Promise.all(
      groups.flatMap((group, at) =>
        (at === 0 ? ids : ids.toReversed()).map((id) =>
          callApi(token, 'PATCH', `/Groups/${group}`, { body: add(id) }),
        ),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    for (const id of ids) expect((await accessOf(id))?.roles).toEqual(['it-manager', 'finance-user'])
    const whole = patch({ op: 'remove', path: 'members' })
    await Promise.all(groups.map((group) => callApi(token, 'PATCH', `/Groups/${group}`, { body: whole })))
    for (const id of ids) expect((await accessOf(id))?.roles).toEqual([])
  })
})
