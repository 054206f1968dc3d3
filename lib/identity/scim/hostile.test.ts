import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { callApi, GROUP_SCHEMA, patch, tokenOf, USER_SCHEMA } from './test-calls.ts'

let database: TestDatabase
let token = ''
let [user, group] = ['', '']
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('own')
  token = await tokenOf('own')
  user = (
    await callApi(token, 'POST', '/Users', { body: { schemas: [USER_SCHEMA], userName: 'cleo@own.example' } })
  ).json.id
  group = (
    await callApi(token, 'POST', '/Groups', { body: { schemas: [GROUP_SCHEMA], displayName: 'Staff' } })
  ).json.id
})
afterAll(() => database.close())
// Each test sends more requests than the limit allows in a minute.
beforeEach(async () => {
  token = await tokenOf('own')
  await database.sql(
    'own',
    "INSERT INTO customer_limits (customer_id, requests, together) VALUES ('own', 1000000, 1000) ON CONFLICT DO NOTHING",
  )
})

const scimError = (status: number, scimType?: string) => ({
  status,
  json: {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType ? { scimType } : {}),
    detail: expect.any(String),
  },
})

describe('an invalid filter is rejected', () => {
  it.each([
    '',
    'userName',
    'userName eq',
    'userName eq cleo',
    'userName co "a"',
    'password eq "x"',
    '__proto__ eq "x"',
    'constructor eq "x"',
    'userName eq "a" or userName eq "b"',
    'userName eq "a\\"',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    'userName eq true',
    `${'('.repeat(1900)}`,
    `userName eq "${'\\'.repeat(1801)}"`,
  ])('%s', async (text) => {
    for (const path of ['Users', 'Groups']) {
      const answer = await callApi(token, 'GET', `/${path}?filter=${encodeURIComponent(text)}`)
      expect(answer).toMatchObject(scimError(400, 'invalidFilter'))
    }
  })

  it.each(['startIndex=x', 'count=1e9', 'count=99999999999', 'filter=%ff'])('%s', async (query) => {
    expect((await callApi(token, 'GET', `/Users?${query}`)).status).toBe(400)
  })

  it.each(['startIndex=-5&count=-1', 'startIndex=999999999&count=999999999'])('%s', async (query) => {
    expect((await callApi(token, 'GET', `/Users?${query}`)).json).toMatchObject({
      totalResults: 1,
      itemsPerPage: 0,
    })
  })
})

describe('a body that is not SCIM is rejected', () => {
  it.each([
    ['PATCH', 'null', 'invalidSyntax'],
    ['PATCH', '[]', 'invalidSyntax'],
    ['PATCH', '{', 'invalidSyntax'],
    ['PATCH', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 'invalidSyntax'],
    ['PATCH', JSON.stringify({ Operations: [{ op: 'add', value: {} }] }), 'invalidSyntax'],
    ['PATCH', JSON.stringify(patch()), 'invalidSyntax'],
    ['PATCH', JSON.stringify(patch({ op: 'move', path: 'active' })), 'invalidSyntax'],
    ['PATCH', JSON.stringify(patch({ op: 'remove' })), 'invalidPath'],
    ['PATCH', JSON.stringify(patch({ op: 'replace', path: 'a b c', value: 1 })), 'invalidPath'],
    ['PATCH', JSON.stringify(patch({ op: 'replace', path: '[[', value: 1 })), 'invalidPath'],
    ['PATCH', JSON.stringify(patch({ op: 'replace', path: 'id', value: 'x' })), 'mutability'],
    ['PATCH', JSON.stringify(patch({ op: 'replace', value: 'text' })), 'invalidValue'],
    ['PATCH', JSON.stringify(patch({ op: 'replace', path: 'externalId', value: ['x'] })), 'invalidValue'],
    [
      'PATCH',
      JSON.stringify(patch({ op: 'replace', path: 'displayName', value: 'a\u0000' })),
      'invalidValue',
    ],
    [
      'PATCH',
      JSON.stringify(patch({ op: 'replace', path: 'displayName', value: 'a'.repeat(201) })),
      'invalidValue',
    ],
    ['PUT', '{"schemas": []}', 'invalidSyntax'],
  ] as const)('%s %s', async (method, body, scimType) => {
    for (const path of [`/Users/${user}`, `/Groups/${group}`])
      expect(await callApi(token, method, path, { body })).toMatchObject(scimError(400, scimType))
  })

  it('is rejected with another media type, or when too large', async () => {
    const sent = { 'content-type': 'text/plain' }
    expect(await callApi(token, 'POST', '/Users', { body: '{}', headers: sent })).toMatchObject(
      scimError(415),
    )
    const large = JSON.stringify({
      schemas: [USER_SCHEMA],
      userName: 'a@b.example',
      title: 'x'.repeat(262_144),
    })
    expect(await callApi(token, 'POST', '/Users', { body: large })).toMatchObject(scimError(413))
    for (const userName of [undefined, null, '', 'cleo', 7, { value: 'a@b.example' }])
      expect(
        await callApi(token, 'POST', '/Users', { body: { schemas: [USER_SCHEMA], userName } }),
      ).toMatchObject(scimError(400, 'invalidValue'))
  })
})

it('a thousand operations result in one change, and one more is rejected', async () => {
  const operations = Array.from({ length: 1000 }, (_, n) => ({
    op: 'replace',
    path: 'displayName',
    value: `N${n}`,
  }))
  expect(
    (await callApi(token, 'PATCH', `/Users/${user}`, { body: patch(...operations) })).json.displayName,
  ).toBe('N999')
  const more = patch(...operations, ...operations.slice(0, 1))
  expect(await callApi(token, 'PATCH', `/Users/${user}`, { body: more })).toMatchObject(
    scimError(400, 'invalidSyntax'),
  )
  const members = Array.from({ length: 1001 }, (_, n) => ({ value: `m${n}` }))
  const many = patch({ op: 'add', path: 'members', value: members })
  expect(await callApi(token, 'PATCH', `/Groups/${group}`, { body: many })).toMatchObject(
    scimError(400, 'invalidValue'),
  )
})

it('any request gets a valid SCIM response, and never a server error', async () => {
  const text = fc.oneof(
    fc.constantFrom(
      'active',
      'members',
      'members[value eq "x"]',
      'name',
      'name.givenName',
      '__proto__',
      'externalId',
    ),
    fc.constantFrom(
      'urn:ietf:params:scim:schemas:core:2.0:User:active',
      'displayName',
      'userName',
      'emails[',
      'meta',
    ),
    fc.string({ unit: 'binary' }),
  )
  const operation = fc.record(
    {
      op: fc.constantFrom('add', 'Replace', 'remove', 'x'),
      path: text,
      value: fc.oneof(fc.jsonValue(), fc.boolean()),
    },
    { requiredKeys: ['op'] },
  )
  const body = fc.oneof(
    fc.array(operation, { maxLength: 5 }).map((all) => patch(...all)),
    fc.dictionary(text, fc.jsonValue()).map((all) => ({ ...all, schemas: [USER_SCHEMA, GROUP_SCHEMA] })),
    fc.jsonValue(),
  )
  const method = fc.constantFrom('PATCH', 'PUT', 'POST')
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(method, fc.boolean(), body, text, async (method, isUser, body, filter) => {
      const path = isUser ? 'Users' : 'Groups'
      const rest = method === 'POST' ? `/${path}` : `/${path}/${isUser ? user : group}`
      const answers = [
        await callApi(token, method, rest, { body }),
        await callApi(token, 'GET', `/${path}?filter=${encodeURIComponent(filter.toWellFormed())}&count=1`),
      ]
      for (const { status, json } of answers) {
        seen.add(status)
        expect([200, 201, 400, 409]).toContain(status)
        if (status >= 400) expect(json).toMatchObject({ status: String(status), detail: expect.any(String) })
      }
    }),
    { numRuns: 300 },
  )
  for (const status of [200, 400]) expect(seen).toContain(status)
})
