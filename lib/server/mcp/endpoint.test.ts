import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DELETE, GET, POST } from '#app/mcp/route.ts'
import { cookieName } from '#lib/platform/caller/cookies.ts'
import { sessionSecret } from '#lib/platform/caller/session.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addKey, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { projectFiles, reachableFrom } from '../../../test/architecture/scan.ts'
import { accepted, callTool, connect, type Message, requestOf } from './test-client.ts'

let database: TestDatabase
let key = ''
beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'http://console.example')
  database = await testDatabase()
  await addCustomer('own')
  key = await addKey('own', ['admin'])
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

async function send(message: Message) {
  const response = await POST(requestOf({ key, ...message }))
  const body = await response.json()
  return { status: response.status, code: body.code ?? body.error?.code, headers: response.headers, body }
}
const toolCall = (name: unknown, more: object = {}) => ({
  method: 'tools/call',
  params: { name, arguments: {}, ...more },
})

describe('a message', () => {
  test('is refused without a key, with a bad one, and with the cookie of a session', async () => {
    const member = await addMember('own', { roles: ['admin'] })
    const token = { sid: await addSession('own', member) }
    const cookie = `${cookieName('session')}=${await encode({ token, secret: sessionSecret() })}`
    for (const message of [
      { key: undefined },
      { key: `lic_${'a'.repeat(36)}` },
      { key: undefined, headers: { cookie } },
    ]) {
      const answer = await send(message)
      expect([answer.status, answer.code]).toEqual([401, 'unauthenticated'])
      expect(answer.headers.get('www-authenticate')).toContain('Bearer')
    }
  })

  test('from a page of another site is refused, and one from the console is answered', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://console.example.evil.example']) {
      const answer = await send({ headers: { Origin: origin } })
      expect([answer.status, answer.code]).toEqual([403, 'cross_origin'])
    }
    expect((await send({ headers: { Origin: 'http://console.example' } })).status).toBe(200)
  })

  test.each<[string, Message, number, string | number]>([
    ['is no JSON', { body: '{' }, 400, -32700],
    ['is empty', { body: '' }, 400, -32700],
    ['is a batch', { body: '[]' }, 400, -32600],
    ['is of another version', { headers: { 'MCP-Protocol-Version': '2025-11-25' } }, 400, -32020],
    [
      'begins a session of an older version',
      {
        body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
        headers: { 'MCP-Protocol-Version': undefined },
      },
      400,
      -32022,
    ],
    ['lacks its header for the method', { headers: { 'Mcp-Method': undefined } }, 400, -32020],
    ['names another method in its header', { headers: { 'Mcp-Method': 'tools/call' } }, 400, -32020],
    ['has another media type', { headers: { 'Content-Type': 'text/plain' } }, 415, -32000],
    ['is too large', { params: { filler: 'x'.repeat(20_000) } }, 413, 'body_too_large'],
    ['calls an unknown method', { method: 'tools/remove' }, 404, -32601],
    ['asks for resources, which are not there', { method: 'resources/list' }, 404, -32601],
    ['calls an unknown tool', toolCall('drop_table'), 200, -32602],
    ['calls a tool without a name', toolCall(7), 200, -32602],
    ['calls a tool of the prototype', toolCall('__proto__'), 200, -32602],
    ['has arguments that are a list', toolCall('list_assets', { arguments: [] }), 200, -32602],
  ])('that %s is refused', async (_, message, status, code) => {
    const answer = await send(message)
    expect([answer.status, answer.code]).toEqual([status, code])
  })

  test('that subscribes to changes is acknowledged, and its stream ends', async () => {
    const answer = await POST(
      requestOf({ key, method: 'subscriptions/listen', params: { notifications: {} } }),
    )
    expect(await answer.text()).toContain('notifications/subscriptions/acknowledged')
  })

  test.each([
    ['GET', GET],
    ['DELETE', DELETE],
  ] as const)('by %s is refused with the method that is allowed', async (method, handle) => {
    const answer = await handle(
      new Request('http://console.example/mcp', { method, headers: { Authorization: `Bearer ${key}` } }),
    )
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

test('arguments that a tool does not have, or of another type, are the problem of an invalid request', async () => {
  for (const args of [
    { nonsense: 1 },
    { filter: { $ne: '' } },
    { maxResults: [1] },
    { maxResults: 'many' },
  ]) {
    const answer = await callTool(key, 'list_assets', args)
    expect([answer.isError, answer.body.code]).toEqual([true, 'invalid_request'])
  }
  for (const args of [{}, { asset_id: '../keys' }, { asset_id: 'a/b?c' }])
    expect((await callTool(key, 'read_asset', args)).body.code).toBe('not_found')
})

test('arguments and answers that are nested a thousand times are invalid, and nothing fails', async () => {
  const nested = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`)
  const { body } = await callTool(key, 'list_assets', { filter: nested })
  expect(body.code).toBe('invalid_request')
  for (const answers of [
    { inputResponses: nested },
    { requestState: nested },
    { inputResponses: { confirmation: nested } },
  ])
    expect((await callTool(key, 'read_asset', { asset_id: 'a' }, answers as object)).body.code).toBeDefined()
})

describe('limits', () => {
  test('are those of the API: a call of a tool counts once, and a change as a change', async () => {
    vi.stubEnv('RATE_LIMIT_REQUESTS', '6')
    vi.stubEnv('RATE_LIMIT_CHANGES', '1')
    const customer = await addNewCustomer()
    await addAsset(customer, 'workspace-suite-1', { purchased: 10 })
    const limited = await addKey(customer, ['it-manager'])
    const set = async (quantity: number) => {
      const args = { asset_id: 'workspace-suite-1', quantity }
      const { requestState = '' } = await callTool(limited, 'set_license_quantity', args)
      return callTool(limited, 'set_license_quantity', args, { requestState, ...accepted() })
    }
    expect((await set(11)).isError).toBe(false)
    const second = await set(12)
    expect([second.isError, second.body.code, Number(second.body.retryAfter) > 0]).toEqual([
      true,
      'rate_limited',
      true,
    ])
    expect((await callTool(limited, 'list_assets', {})).isError).toBe(false)
    const response = await POST(requestOf({ key: limited }))
    expect([response.status, response.headers.get('ratelimit')]).toEqual([
      200,
      expect.stringContaining('"requests";r=0'),
    ])
    const over = await POST(requestOf({ key: limited }))
    expect([over.status, (await over.json()).code, over.headers.has('retry-after')]).toEqual([
      429,
      'rate_limited',
      true,
    ])
    const [asset] = await database.sql(customer, 'SELECT seats_purchased FROM assets')
    expect(asset).toEqual({ seats_purchased: 11 })
    vi.stubEnv('RATE_LIMIT_REQUESTS', '')
    vi.stubEnv('RATE_LIMIT_CHANGES', '')
  })
})

// The server's start itself: loading.deep.test.ts.
test('nothing of the protocol is imported before the first request', () => {
  // An example for developers contains an import of the client.
  const isOfProtocol = (file: string) => /modelcontextprotocol.(?!client)|server.mcp|app.mcp/.test(file)
  const routes = projectFiles('app').filter((file) => file.endsWith('/route.ts'))
  expect([...reachableFrom(['lib/server/api.ts', ...routes])].filter(isOfProtocol)).toEqual([
    'app/mcp/route.ts',
  ])
  expect([...reachableFrom(['app/mcp/respond.ts'])]).toContain('@modelcontextprotocol/server')
})

test('the protocol’s own client lists, reads, and changes after its person has confirmed', async () => {
  const customer = await addNewCustomer()
  await addAsset(customer, 'workspace-suite-1', { purchased: 10, assigned: 4 })
  const questions: string[] = []
  const client = await connect(await addKey(customer, ['it-manager']), ({ message }) => {
    questions.push(message)
    return { action: 'accept', content: { confirm: true } }
  })
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['list_assets', 'set_license_quantity']),
  )
  const read = await client.callTool({ name: 'list_assets', arguments: {} })
  expect(read.structuredContent).toMatchObject({ data: { rowCount: 1 } })
  const args = { asset_id: 'workspace-suite-1', quantity: 12 }
  const changed = await client.callTool({ name: 'set_license_quantity', arguments: args })
  expect(changed.structuredContent).toMatchObject({
    url: 'http://console.example/assets/workspace-suite-1',
    data: { properties: { subscription: { Seats: { NumberOfSeats: 12 } } } },
  })
  expect(questions).toEqual([expect.stringContaining('from 10 to 12 (+2)?')])
  await client.close()
})

test('a client that cannot ask a person changes nothing', async () => {
  const customer = await addNewCustomer()
  await addAsset(customer, 'workspace-suite-1', { purchased: 10 })
  const client = await connect(await addKey(customer, ['it-manager']))
  const args = { asset_id: 'workspace-suite-1', quantity: 12 }
  await expect(client.callTool({ name: 'set_license_quantity', arguments: args })).rejects.toThrow(
    /elicitation/,
  )
  expect(await database.sql(customer, 'SELECT seats_purchased FROM assets')).toEqual([
    { seats_purchased: 10 },
  ])
  await client.close()
})
