import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer } from '../test-server.ts'
import { staticFiles } from './static-files.ts'

let folder = ''
let testServer: Awaited<ReturnType<typeof openTestServer>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'static-'))
  for (const name of ['a.js', 'a.css', 'a.woff2']) writeFileSync(join(folder, name), '0123456789')
  const serve = staticFiles((_, res) => void res.end('a page'), folder)
  testServer = await openTestServer({ inside: serve })
})
afterAll(async () => {
  await testServer.close()
  rmSync(folder, { recursive: true })
})

const get = async (path: string, ...headers: string[]) => {
  const { answers } = await testServer.request(`GET /_next${path}`, ['Host: console.example', ...headers])
  return answers
}

test.each([
  ['/static/a.js', 'text/javascript; charset=utf-8'],
  ['/static/a.css', 'text/css; charset=utf-8'],
  ['/static/a.woff2', 'font/woff2'],
])('%s is %s', async (path, type) => {
  expect(await get(path)).toMatchObject([
    { status: 200, headers: { 'content-type': type }, body: '0123456789' },
  ])
})

test.each(['bytes=2-4', 'bytes=5-2', 'bytes=-3', 'bytes=99-', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=x-y'])(
  'the range %s of a file is all of it, and nothing fails',
  async (range) => {
    expect(await get('/static/a.js', `Range: ${range}`)).toMatchObject([{ status: 200, body: '0123456789' }])
  },
)

test.each([
  '/static/',
  '/static/b.js',
  '/static/a',
  '/static/__proto__',
  '/static/constructor',
  '/static/%2e%2e/BUILD_ID',
  '/',
  '/image?url=http%3A%2F%2F127.0.0.1%2F&w=64&q=75',
  '/data/build/index.json',
  '/BUILD_ID',
])('%s does not exist, and no page is rendered for it', async (path) => {
  const [answer] = await get(path)
  expect([answer?.status, answer?.body]).toEqual([404, expect.not.stringMatching(/0123456789|a page/)])
})
