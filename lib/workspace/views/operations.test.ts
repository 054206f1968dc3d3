import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { remove as removeMember } from '#lib/identity/members/change.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import type { Caller, Role } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import type * as contract from './contract.ts'
import { changeView, createView, listViews, removeView } from './operations.ts'
import { MAX_VIEWS } from './rules.ts'

type New = Input<typeof contract.createView>['body']
type Change = Input<typeof contract.changeView>['body']

const meta = { requestId: 'test' }
const nothing = { params: {}, query: {}, body: undefined }
let db: TestDatabase
let customer: string
let key: Caller
let [ana, ida, fin] = [] as unknown as [Caller, Caller, Caller]

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example')
  db = await testDatabase()
})
beforeEach(async () => {
  customer = await addNewCustomer()
  key = await callerOf(customer, 'admin')
  ana = await person('admin')
  ida = await person('it-manager')
  fin = await person('finance-user')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await db.close()
})

async function person(...roles: Role[]): Promise<Caller> {
  return { ...key, via: 'session', id: await addMember(customer, { roles }), roles, name: roles.join() }
}
const create = async (caller: Caller, values: Partial<New> = {}) => {
  const body = {
    name: 'Idle',
    path: '/assets' as const,
    query: '',
    isPinned: true,
    isShared: false,
    ...values,
  }
  return (await createView(caller, { params: {}, query: {}, body }, meta)).body
}
const change = async (caller: Caller, id: string, body: Change) =>
  (await changeView(caller, { params: { view_id: id }, query: {}, body }, meta)).body
const remove = (caller: Caller, id: string) =>
  removeView(caller, { params: { view_id: id }, query: {}, body: {} }, meta)
const names = async (caller: Caller) =>
  (await listViews(caller, nothing, meta)).body.views.map(({ name }) => name)
const events = async () => {
  const rows = await db.sql(
    customer,
    "SELECT action FROM audit_events WHERE action LIKE 'view.%' ORDER BY id",
  )
  return rows.map(({ action }) => action)
}

describe('a view', () => {
  it('is visible to its member only; a shared one is visible to every caller who may open its screen', async () => {
    await create(ida)
    await create(ana, { name: 'Plans', isShared: true })
    await create(ana, { name: 'Late', path: '/invoices', query: 'filter=status:PAST DUE', isShared: true })
    await create(ana, { name: 'Keys', path: '/activity/events', query: 'filter=kind:access', isShared: true })
    expect(await names(ida)).toEqual(['Idle', 'Plans'])
    expect(await names(fin)).toEqual(['Late'])
    expect(await names(ana)).toEqual(['Keys', 'Plans', 'Late'])
    expect(await names(key)).toEqual(['Keys', 'Plans', 'Late'])
    const { views, mayShare } = (await listViews(ida, nothing, meta)).body
    expect([mayShare, ...views.map(({ mayChange }) => mayChange)]).toEqual([false, true, false])
    const byKey = (await listViews(key, nothing, meta)).body
    expect([byKey.mayShare, ...byKey.views.map(({ mayChange }) => mayChange)]).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  it('stores the query of its screen without the page, and links to it', async () => {
    const query = 'filter=usage%3Aidle%7Cplan:flexible&orderBy=idle desc&pageToken=x&view=full'
    expect(await create(ida, { query })).toMatchObject({
      query: 'filter=usage:idle|plan:flexible&orderBy=idle+desc',
      url: 'https://console.example/assets?filter=usage:idle|plan:flexible&orderBy=idle+desc',
    })
  })

  it.each([
    ['/assets', 'filter=color:red', 'filter: can be of these only'],
    ['/assets', 'orderBy=price', 'orderBy'],
    ['/assets', 'product=x', 'has a parameter that /assets does not know: product'],
    ['/assets', 'search=a&search=b', 'has search more than once'],
    ['/assets', 'next=//elsewhere.example', 'does not know: next'],
    ['/invoices', 'minAmount=much', 'minAmount'],
    ['/activity', 'filter=kind:access', 'filter'],
  ] as const)('%s?%s is refused: %s', async (path, query, detail) => {
    const denied = {
      code: 'invalid_request',
      message: expect.stringContaining(detail),
      more: { errors: [{ pointer: '/query' }] },
    }
    await expect(create(ana, { path, query })).rejects.toMatchObject(denied)
    const { id } = await create(ana, { path })
    await expect(change(ana, id, { query })).rejects.toMatchObject(denied)
    expect((await change(ana, id, {})).query).toBe('')
  })

  it('is saved by signed-in members only, for screens that they may open', async () => {
    const denied = { code: 'permission_denied' }
    await expect(create(key)).rejects.toMatchObject(denied)
    await expect(create(ida, { path: '/invoices' })).rejects.toMatchObject(denied)
    await expect(create(fin, { path: '/activity/events' })).rejects.toMatchObject(denied)
    await expect(create(ida, { isShared: true })).rejects.toMatchObject(denied)
    expect(await names(ana)).toEqual([])
  })
})

describe('a name', () => {
  it('is unique among a member’s views and among the shared views, ignoring case', async () => {
    const { id } = await create(ana)
    await create(ana, { name: 'Other' })
    await create(ida)
    await create(ana, { isShared: true })
    const exists = { code: 'view_exists' }
    await expect(create(ana, { name: 'IDLE', path: '/invoices' })).rejects.toMatchObject(exists)
    await expect(create(ana, { name: 'idle', isShared: true })).rejects.toMatchObject(exists)
    await expect(change(ana, id, { name: 'OTHER' })).rejects.toMatchObject(exists)
    await expect(change(ana, id, { isShared: true })).rejects.toMatchObject(exists)
    expect((await change(ana, id, { name: 'IDLE' })).name).toBe('IDLE')
  })

  it('goes to one of two concurrent requests', async () => {
    const made = await Promise.allSettled([create(ida), create(ida), create(ida)])
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const [one, two] = [await create(ida, { name: 'One' }), await create(ida, { name: 'Two' })]
    const renamed = await Promise.allSettled([one, two].map(({ id }) => change(ida, id, { name: 'Same' })))
    const codes = renamed.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
    expect(codes).toEqual(['view_exists'])
  })
})

describe('a change', () => {
  it('moves a view among its siblings, and two concurrent moves leave a complete order', async () => {
    const made = []
    for (const name of ['A', 'B', 'C', 'D']) made.push(await create(ida, { name }))
    await create(ida, { name: 'Elsewhere', path: '/activity' })
    const [a, b, , d] = made as [contract.View, contract.View, contract.View, contract.View]
    expect(made.map(({ position }) => position)).toEqual([0, 1, 2, 3])
    expect(await change(ida, d.id, { position: 1 })).toMatchObject({ position: 1 })
    expect(await names(ida)).toEqual(['Elsewhere', 'A', 'D', 'B', 'C'])
    await Promise.all([change(ida, a.id, { position: 50 }), change(ida, b.id, { position: 0 })])
    const { views } = (await listViews(ida, nothing, meta)).body
    const assets = views.filter(({ path }) => path === '/assets')
    expect(assets.map(({ position }) => position)).toEqual([0, 1, 2, 3])
    expect(assets.map(({ name }) => name)).toEqual(['B', 'D', 'C', 'A'])
  })

  it('requires an Admin for a shared view, which is recorded in the audit log; a change of a private view is not recorded', async () => {
    const privateView = await create(ida)
    await change(ida, privateView.id, { isPinned: false })
    await remove(ida, privateView.id)
    const { id } = await create(ana, { name: 'Plans' })
    expect(await events()).toEqual([])
    expect(await change(ana, id, { isShared: true })).toMatchObject({ isShared: true, position: 0 })
    for (const attempt of [() => change(ida, id, { name: 'Mine' }), () => remove(ida, id)])
      await expect(attempt()).rejects.toMatchObject({ code: 'permission_denied' })
    const other = await person('admin')
    await change(other, id, { name: 'All plans' })
    await change(other, id, { name: 'All plans' })
    expect(await change(other, id, { isShared: false })).toMatchObject({ isShared: false })
    expect([await names(other), await names(ana)]).toEqual([['All plans'], []])
    await change(other, id, { isShared: true })
    await remove(ana, id)
    expect(await events()).toEqual([
      'view.shared',
      'view.changed',
      'view.taken-back',
      'view.shared',
      'view.removed',
    ])
  })

  it('is rejected alike for views of others, of another customer, removed ones and unknown ones', async () => {
    const { id } = await create(ida)
    const lastView = await create(ana, { name: 'Late', path: '/invoices', isShared: true })
    const former = customer
    customer = await addNewCustomer()
    const eve = { ...(await person('admin')), customerId: customer as Caller['customerId'] }
    customer = former
    const missing = { code: 'not_found' }
    for (const [caller, which] of [
      [ana, id],
      [fin, id],
      [eve, id],
      [eve, lastView.id],
      [ida, lastView.id],
      [ida, 'nobodys'],
    ] as const) {
      await expect(change(caller, which, { name: 'Theirs' })).rejects.toMatchObject(missing)
      await expect(remove(caller, which)).rejects.toMatchObject(missing)
    }
    await remove(ida, id)
    await expect(remove(ida, id)).rejects.toMatchObject(missing)
    await expect(change(ida, id, { name: 'Again' })).rejects.toMatchObject(missing)
  })
})

it('the number of views is limited, also for concurrent requests', async () => {
  for (let count = 1; count < MAX_VIEWS; count++) await create(ida, { name: `View ${count}` })
  const made = await Promise.allSettled(['X', 'Y', 'Z'].map((name) => create(ida, { name })))
  const codes = made.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
  expect(codes).toEqual(['views_full', 'views_full'])
  expect(await names(ida)).toHaveLength(MAX_VIEWS)
  await create(ana, { name: 'X', isShared: true })
})

it('private views are removed with their member, and shared ones stay', async () => {
  const bob = await person('admin')
  await create(bob)
  await create(bob, { name: 'For all', isShared: true })
  await scope(ana, (tx) => removeMember(tx, ana, bob.id, 'test'))
  expect(await db.sql(customer, 'SELECT name FROM saved_views')).toEqual([{ name: 'For all' }])
})
