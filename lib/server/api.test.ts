import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenOf, USER_SCHEMA } from '#lib/identity/scim/test-calls.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { loadApi } from './api.ts'
import { readTarget } from './target.ts'

let database: TestDatabase
let url = ''
const server = createServer()
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('own')
  const api = await loadApi()
  server.on('request', (req, res) => api(req, res, readTarget(req.url ?? '')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.close()
  await database.close()
})

test.each([
  ['/scim', 'application/scim+json'],
  ['/scim/v2', 'application/scim+json'],
  ['/scim/v2/Me', 'application/scim+json'],
  ['/scim/v2/Users/a/b', 'application/scim+json'],
  ['/scimitar', 'application/problem+json'],
  ['/auth/scim/v2', 'application/problem+json'],
])('%s is an unknown path, answered as %s', async (path, type) => {
  const answer = await fetch(url + path)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, type])
  expect(await answer.json()).toMatchObject({ status: type === 'application/scim+json' ? '404' : 404 })
})

test('SCIM paths are answered by their routes, with their own statuses and headers', async () => {
  const headers = { authorization: `Bearer ${await tokenOf('own')}`, 'content-type': 'application/scim+json' }
  const body = JSON.stringify({ schemas: [USER_SCHEMA], userName: 'cleo@own.example' })
  const made = await fetch(`${url}/scim/v2/Users/`, { method: 'POST', headers, body })
  expect(made.status).toBe(201)
  const { id, meta } = await made.json()
  expect(made.headers.get('location')).toBe(meta.location)
  const headResponse = await fetch(`${url}/scim/v2/Users/${id}`, { method: 'HEAD', headers })
  expect([headResponse.status, headResponse.headers.get('etag'), await headResponse.text()]).toEqual([
    200,
    meta.version,
    '',
  ])
  const other = await fetch(`${url}/scim/v2/Users`, { method: 'DELETE', headers })
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  const deletion = await fetch(`${url}/scim/v2/Users/${id}`, { method: 'DELETE', headers })
  expect([deletion.status, await deletion.text()]).toEqual([204, ''])
})

test('clients that do not read their answers are refused further ones, until they have left', async () => {
  const path = '/billing/v1/openapi.json'
  const { port } = server.address() as AddressInfo
  const status = async () => {
    const response = await fetch(url + path)
    await response.arrayBuffer()
    return `${response.status} ${response.headers.get('retry-after')}`
  }
  expect(await status()).toBe('200 null')
  const sockets = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').pause())
  // More than the buffers of the system take of one connection.
  const requests = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(20)
  for (const socket of sockets) socket.write(requests)
  await expect.poll(status, { timeout: 20_000 }).toBe('503 2')
  for (const socket of sockets) socket.destroy()
  await expect.poll(status, { timeout: 20_000 }).toBe('200 null')
})
