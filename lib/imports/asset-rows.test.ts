import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { importAssets } from './assets.ts'
import type { NewAsset } from './schemas.ts'

// A vendor's subscription belongs to one asset of one customer: locks and open changes refer to the subscription.

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

const run = (customer: string, assets: NewAsset[], { replace = false } = {}) => {
  const customerId = newCustomerId(customer)
  return scope({ customerId }, (tx) => importAssets(tx, customerId, assets, { replace }))
}
let count = 0
const subscription = (id = `S-${++count}`) => ({
  id,
  skuId: 'SKU-1',
  skuName: 'Business Plus',
  billingMethod: 'ONLINE',
  status: 'ACTIVE',
  planName: 'FLEXIBLE',
  isCommitmentPlan: false,
  seats: { purchased: 50, assigned: 42 },
})
const asset = (id: string, source: ReturnType<typeof subscription>, vendor?: string): NewAsset => ({
  id: `workspace-suite-${id}`,
  type: 'workspace-suite',
  name: 'Business Plus',
  customerDomain: 'sunbird.example',
  vendorCustomerId: 'C0123',
  createdAt: new Date('2025-03-01T09:00:00Z'),
  subscription: source,
  vendor,
})
const GOOGLE = 'google-workspace'
const importErrorFor = (id: string, reason: RegExp) => ({
  problems: [
    {
      subject: `asset workspace-suite-${id}`,
      column: 'subscriptionId',
      reason: expect.stringMatching(reason),
    },
  ],
})

test('A second asset for one subscription is refused with the first one’s id', async () => {
  const customer = await addNewCustomer()
  const one = subscription()
  await run(customer, [asset('1', one, GOOGLE)])
  await expect(run(customer, [asset('2', one, GOOGLE)])).rejects.toMatchObject(
    importErrorFor('2', /^it is in the asset workspace-suite-1 already$/),
  )
  // Also for an existing asset that is moved to the subscription.
  await run(customer, [asset('2', subscription(), GOOGLE)])
  await expect(run(customer, [asset('2', one, GOOGLE)], { replace: true })).rejects.toMatchObject(
    importErrorFor('2', /workspace-suite-1/),
  )
  expect(await run(customer, [asset('1', one, GOOGLE)])).toMatchObject({ unchanged: 1 })
})

test('A subscription of another customer’s asset is refused, and the operator sees the customer', async () => {
  const [first, second] = [await addNewCustomer(), await addNewCustomer()]
  const one = subscription()
  await run(first, [asset('1', one, GOOGLE)])
  await expect(run(second, [asset('1', one, GOOGLE)])).rejects.toMatchObject(
    importErrorFor('1', new RegExp(`workspace-suite-1 of the customer ${first} already`)),
  )
  expect(await db.sql(second, 'SELECT FROM assets')).toEqual([])
})

test('Two assets with one subscription in one file are rejected, at any distance', async () => {
  const customer = await addNewCustomer()
  const one = subscription()
  const many = Array.from({ length: 600 }, (_, n) => asset(`m${n}`, subscription(), GOOGLE))
  await expect(run(customer, [asset('1', one, GOOGLE), asset('2', one, GOOGLE)])).rejects.toMatchObject(
    importErrorFor('2', /workspace-suite-1/),
  )
  await expect(
    run(customer, [asset('1', one, GOOGLE), ...many, asset('2', one, GOOGLE)]),
  ).rejects.toMatchObject(importErrorFor('2', /workspace-suite-1/))
  expect(await db.sql(customer, 'SELECT FROM assets')).toEqual([])
})

test('A subscription id in another letter case is refused, because a vendor treats both as the same', async () => {
  const customer = await addNewCustomer()
  const one = subscription('AB-1')
  await run(customer, [asset('1', one, GOOGLE)])
  const others = [
    asset('2', { ...one, id: 'ab-1' }, GOOGLE),
    { ...asset('2', one, GOOGLE), vendorCustomerId: 'c0123' },
  ]
  for (const other of others)
    await expect(run(customer, [other])).rejects.toMatchObject(
      importErrorFor('2', /workspace-suite-1 already$/),
    )
  const another = await addNewCustomer()
  for (const other of others)
    await expect(run(another, [other])).rejects.toMatchObject(importErrorFor('2', /workspace-suite-1 of the/))
  await expect(
    run(another, [asset('3', subscription('X-1'), GOOGLE), asset('4', subscription('x-1'), GOOGLE)]),
  ).rejects.toMatchObject(importErrorFor('4', /workspace-suite-3 already$/))
})

test('Built-in assets are exempt from unique subscriptions', async () => {
  const customer = await addNewCustomer()
  const one = subscription()
  expect(await run(customer, [asset('1', one), asset('2', one)])).toMatchObject({ added: 2 })
})

test.each([
  ['', 'RACE-1', 'RACE-1'],
  [', in whatever letters', 'RACE-2', 'race-2'],
])('Two parallel imports leave one asset%s', async (_how, one, other) => {
  const [first, second] = [await addNewCustomer(), await addNewCustomer()]
  const ends = await Promise.allSettled([
    run(first, [asset('1', subscription(one), GOOGLE)]),
    run(second, [asset('1', subscription(other), GOOGLE)]),
  ])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

const ids = (customer: string) =>
  db.sql(
    customer,
    `SELECT v.subscription_id AS "at", v.released_at IS NOT NULL AS released, a.id AS asset
     FROM vendor_subscriptions v LEFT JOIN assets a ON a.vendor_subscription_id = v.id ORDER BY v.created_at`,
  )

test('An asset that moves to another subscription releases its former one, even to another customer', async () => {
  const [first, second] = [await addNewCustomer(), await addNewCustomer()]
  const [one, other] = [subscription(), subscription()]
  await run(first, [asset('1', one, GOOGLE)])
  await run(first, [asset('1', other, GOOGLE)], { replace: true })
  await run(second, [asset('1', one, GOOGLE)])
  expect(await ids(first)).toEqual([
    { at: one.id, released: true, asset: null },
    { at: other.id, released: false, asset: 'workspace-suite-1' },
  ])
  // And back: the history stays with the row that was released.
  await run(second, [asset('1', one, 'built-in')], { replace: true })
  await run(first, [asset('1', one, GOOGLE)], { replace: true })
  expect((await ids(first)).map(({ at, released }) => [at, released])).toEqual([
    [one.id, true],
    [other.id, true],
    [one.id, false],
  ])
  // Another SKU is the same subscription.
  await run(first, [asset('1', { ...one, skuId: 'SKU-2' }, GOOGLE)], { replace: true })
  expect(await ids(first)).toHaveLength(3)
})

describe('several accounts at one vendor', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accounts-'))
    const settings = { GOOGLE_KEY_FILE: 'key.json', GOOGLE_ADMIN: 'admin@reseller.example' }
    const accounts = [{ vendor: GOOGLE, name: 'emea', settings }]
    await writeFile(join(folder, 'accounts.json'), JSON.stringify({ accounts }))
    vi.stubEnv('VENDOR_ACCOUNTS_FILE', join(folder, 'accounts.json'))
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })
  const assetAt = (id: string, source: ReturnType<typeof subscription>, vendorAccount: string) => ({
    ...asset(id, source, GOOGLE),
    vendorAccount,
  })

  test('may use the same ids for different subscriptions', async () => {
    const customer = await addNewCustomer()
    const one = subscription()
    expect(await run(customer, [asset('1', one, GOOGLE), assetAt('2', one, 'emea')])).toMatchObject({
      added: 2,
    })
    await expect(run(customer, [assetAt('3', one, 'emea')])).rejects.toMatchObject(
      importErrorFor('3', /^it is in the asset workspace-suite-2 already$/),
    )
    // Values missing in a file stay.
    expect(await run(customer, [asset('2', one, GOOGLE)])).toMatchObject({ unchanged: 1 })
    await expect(run(customer, [assetAt('2', one, 'default')])).rejects.toMatchObject({
      problems: expect.arrayContaining([
        expect.objectContaining({ reason: 'it is in the asset workspace-suite-1 already' }),
      ]),
    })
  })

  test('reject an account that is not configured', async () => {
    const customer = await addNewCustomer()
    const importError = { column: 'vendorAccount', reason: `there is no account of ${GOOGLE} named apac` }
    await expect(run(customer, [assetAt('1', subscription(), 'apac')])).rejects.toMatchObject({
      problems: [importError],
    })
    const alone = { ...asset('1', subscription()), vendorAccount: 'emea' }
    await expect(run(customer, [alone])).rejects.toMatchObject({
      problems: [{ column: 'vendorAccount', reason: 'needs the vendor beside it' }],
    })
  })
})
