import { expect, test } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'

const keys = { it: '', finance: '', other: '' }

test.beforeAll(async () => {
  const mainCustomer = await newCustomer('changes')
  const other = await newCustomer('otherchanges')
  for (const customer of [mainCustomer, other]) {
    await customer.importAssets([
      asset('workspace-suite-1', 'Business Plus', { purchased: 40, assigned: 30 }),
      asset('workspace-suite-2', 'Enterprise', { purchased: 5 }),
    ])
  }
  keys.it = await mainCustomer.key('it-manager')
  keys.finance = await mainCustomer.key('finance-user')
  keys.other = await other.key('admin')
})

const bearer = (key: string) => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' })

test('license changes can be read back, only by their own customer and role', async ({ request }) => {
  const set = (id: string, quantity: number) =>
    request.patch(`/billing/v1/assets/workspace-suite-${id}`, {
      headers: bearer(keys.it),
      data: { quantity },
    })
  const list = (search = '', key = keys.it) =>
    request.get(`/billing/v1/license-changes${search}`, { headers: bearer(key) })
  expect((await set('1', 45)).status()).toBe(200)
  expect((await set('1', 20)).status()).toBe(422)
  expect((await set('2', 6)).status()).toBe(200)
  const answer = await list()
  expect(answer.headers().etag).toMatch(/^"/)
  const { licenseChanges, rowCount } = await answer.json()
  const brief = licenseChanges.map((change: Record<string, unknown>) =>
    [change.assetName, change.from, change.to, change.state].join(' '),
  )
  expect(brief).toEqual([
    'Enterprise 5 6 APPLIED',
    'Business Plus 45 20 REJECTED',
    'Business Plus 40 45 APPLIED',
  ])
  expect(rowCount).toBe(3)
  expect(licenseChanges[1]).toEqual({
    id: expect.any(String),
    assetId: 'workspace-suite-1',
    assetName: 'Business Plus',
    type: 'workspace-suite',
    from: 45,
    to: 20,
    state: 'REJECTED',
    vendorReason: '30 users are assigned. Unassign 10 first, or choose 30 or more.',
    actor: { kind: 'key', id: expect.any(String), name: 'test' },
    createTime: expect.any(Number),
    settleTime: expect.any(Number),
  })
  const now = Math.floor(Date.now() / 1000)
  for (const [search, count] of [
    ['?filter=asset:workspace-suite-1', 2],
    ['?filter=asset%3Aworkspace-suite-1%7Cworkspace-suite-2%7Cstate%3AAPPLIED', 2],
    [`?minCreationTime=${now - 600}&maxCreationTime=${now + 600}`, 3],
    [`?minCreationTime=${now + 600}`, 0],
    ['?filter=state:NOTHING', 0],
  ] as const) {
    expect((await (await list(search)).json()).licenseChanges, search).toHaveLength(count)
  }
  const first = await (await list('?maxResults=2')).json()
  const second = await (await list(`?maxResults=2&pageToken=${first.pageToken}`)).json()
  expect([...first.licenseChanges, ...second.licenseChanges]).toEqual(licenseChanges)
  expect(second.pageToken).toBeUndefined()
  expect(await (await list('', keys.other)).json()).toEqual({ licenseChanges: [], rowCount: 0 })
  expect((await list('', keys.finance)).status()).toBe(403)
  expect((await request.get('/billing/v1/license-changes')).status()).toBe(401)
})

test('an invalid query is refused, and the field is named', async ({ request }) => {
  for (const [search, code] of [
    ['filter=type:workspace-suite', 'filter_invalid'],
    ['filter=asset:%00', 'invalid_request'],
    ['minCreationTime=-1', 'invalid_request'],
    ['maxCreationTime=tomorrow', 'invalid_request'],
    ['maxResults=0', 'invalid_request'],
    ['pageToken=nonsense', 'page_token_invalid'],
  ]) {
    const response = await request.get(`/billing/v1/license-changes?${search}`, { headers: bearer(keys.it) })
    expect(response.status(), search).toBe(400)
    const body = await response.json()
    expect([body.code, body.errors[0].parameter]).toEqual([code, search?.split('=')[0]])
  }
})
