import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Role } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addInvoice, addKey, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { GET } from '../../../app/billing/v1/matches/route.ts'
import { MAX_MATCHES, type Matches } from './contract.ts'
import { hasName } from './operations.ts'

let db: TestDatabase
let customer: string
beforeAll(async () => {
  db = await testDatabase()
  customer = await addNewCustomer()
  const other = await addNewCustomer()
  for (const owner of [customer, other]) {
    await addProfile(owner, 'emea')
    await addAsset(owner, 'workspace-suite-1', { purchased: 3 }, { name: `Needle of ${owner}` })
    await addAsset(owner, 'cloud-platform-1', null, { name: 'Needle, without licenses' })
    await addInvoice(owner, 'NEEDLE-1')
    await addInvoice(owner, 'NEEDLE-2', { billingProfileId: 'emea' })
  }
})
afterAll(() => db.close())

async function callApi(search: string | undefined, roles: Role[] = ['admin'], profiles?: string[]) {
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
])('%s finds matches within their permissions and their own customer', async (_, roles, profiles, names) => {
  const answer = await callApi('needle', roles, profiles)
  expect(answer.status).toBe(200)
  expect(idsOf(answer)).toEqual({ ...names, companies: [] })
})

test('each match has enough details to choose from', async () => {
  const { body } = await callApi('needle')
  expect(body.assets.find(({ id }: { id: string }) => id === 'workspace-suite-1')).toEqual({
    id: 'workspace-suite-1',
    type: 'workspace-suite',
    name: `Needle of ${customer}`,
    customerDomain: expect.any(String),
    quantity: 3,
  })
  expect(body.invoices[0]).toMatchObject({ number: 'NEEDLE-2', currency: 'USD', billingProfileId: 'emea' })
})

test('a company is found by part of its name, by callers who may see its invoices', async () => {
  expect(idsOf(await callApi('MEA')).companies).toEqual(['emea'])
  expect(idsOf(await callApi('MEA', ['it-manager'])).companies).toEqual([])
  expect(idsOf(await callApi('MEA', ['finance-user'], ['default'])).companies).toEqual([])
  expect(hasName('Ärzte e.V.', 'äRZTE')).toBe(true)
  expect(hasName('A\u0308rzte', 'ärz')).toBe(true)
})

test('each kind is limited to its newest matches', async () => {
  for (let n = 0; n <= MAX_MATCHES; n++)
    await addAsset(customer, `workspace-suite-many-${n}`, { purchased: 1 })
  expect((await callApi('workspace-suite-many')).body.assets).toHaveLength(MAX_MATCHES)
})

test.each([[undefined], [''], ['  '], ['x'.repeat(201)], ['\0']])('%j is rejected', async (search) => {
  const { status, body } = await callApi(search)
  expect(status).toBe(400)
  expect(body.errors[0].parameter).toBe('search')
})

test.each(['%', '_', "'", '\\', '🙂', 'ﬁ', ' needle ', '%00'])(
  '%j is text like any other',
  async (search) => {
    expect((await callApi(search)).status).toBe(200)
  },
)
