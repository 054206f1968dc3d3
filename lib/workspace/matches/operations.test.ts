import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Role } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addInvoice, addKey, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { GET } from '../../../app/billing/v1/matches/route.ts'
import { type Matches, MOST } from './contract.ts'
import { hasName } from './operations.ts'

let db: TestDatabase
let customer: string
beforeAll(async () => {
  db = await testDatabase()
  customer = await addNewCustomer()
  const other = await addNewCustomer()
  for (const of of [customer, other]) {
    await addProfile(of, 'emea')
    await addAsset(of, 'workspace-suite-1', { purchased: 3 }, { name: `Needle of ${of}` })
    await addAsset(of, 'cloud-platform-1', null, { name: 'Needle, without licenses' })
    await addInvoice(of, 'NEEDLE-1')
    await addInvoice(of, 'NEEDLE-2', { billingProfileId: 'emea' })
  }
})
afterAll(() => db.close())

async function ask(search: string | undefined, roles: Role[] = ['admin'], profiles?: string[]) {
  const key = await addKey(customer, roles, profiles ? { billingProfiles: profiles } : {})
  const end = search === undefined ? '' : `?search=${encodeURIComponent(search)}`
  const headers = { Authorization: `Bearer ${key}` }
  const response = await GET(new Request(`http://console.example/billing/v1/matches${end}`, { headers }))
  return { status: response.status, body: await response.json() }
}
const idsOf = ({ body }: { body: Matches }) => ({
  assets: body.assets.map(({ id }) => id).sort(),
  invoices: body.invoices.map(({ id }) => id).sort(),
  companies: body.billingProfiles.map(({ id }) => id),
})
const assets = ['cloud-platform-1', 'workspace-suite-1']
const invoices = ['NEEDLE-1', 'NEEDLE-2']

test.each<[string, Role[], string[] | undefined, object]>([
  ['an Admin', ['admin'], undefined, { assets, invoices }],
  ['an IT Manager', ['it-manager'], undefined, { assets, invoices: [] }],
  ['a Finance User', ['finance-user'], undefined, { assets: [], invoices }],
  ['who sees one profile', ['finance-user'], ['emea'], { assets: [], invoices: ['NEEDLE-2'] }],
  ['who sees none', ['finance-user'], [], { assets: [], invoices: [] }],
])('%s finds what they may see, of their customer alone', async (_, roles, profiles, found) => {
  const answer = await ask('needle', roles, profiles)
  expect(answer.status).toBe(200)
  expect(idsOf(answer)).toEqual({ ...found, companies: [] })
})

test('what is found says enough to be chosen from', async () => {
  const { body } = await ask('needle')
  expect(body.assets.find(({ id }: { id: string }) => id === 'workspace-suite-1')).toEqual({
    id: 'workspace-suite-1',
    type: 'workspace-suite',
    name: `Needle of ${customer}`,
    customerDomain: expect.any(String),
    quantity: 3,
  })
  expect(body.invoices[0]).toMatchObject({ number: 'NEEDLE-2', currency: 'USD', billingProfileId: 'emea' })
})

test('a company is found by part of its name, by who may see its invoices', async () => {
  expect(idsOf(await ask('MEA')).companies).toEqual(['emea'])
  expect(idsOf(await ask('MEA', ['it-manager'])).companies).toEqual([])
  expect(idsOf(await ask('MEA', ['finance-user'], ['default'])).companies).toEqual([])
  expect(hasName('Ärzte e.V.', 'äRZTE')).toBe(true)
  expect(hasName('A\u0308rzte', 'ärz')).toBe(true)
})

test('of each kind there are a few, the newest', async () => {
  for (let n = 0; n <= MOST; n++) await addAsset(customer, `workspace-suite-many-${n}`, { purchased: 1 })
  expect((await ask('workspace-suite-many')).body.assets).toHaveLength(MOST)
})

test.each([[undefined], [''], ['  '], ['x'.repeat(201)], ['\0']])('%j is refused', async (search) => {
  const { status, body } = await ask(search)
  expect(status).toBe(400)
  expect(body.errors[0].parameter).toBe('search')
})

test.each(['%', '_', "'", '\\', '🙂', 'ﬁ', ' needle ', '%00'])(
  '%j is text like any other',
  async (search) => {
    expect((await ask(search)).status).toBe(200)
  },
)
