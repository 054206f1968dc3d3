import type { IncomingMessage, ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openTestServer } from '../test-server.ts'
import {
  NONCE_PLACEHOLDER,
  packedWithNonce,
  preparedPage,
  preparedPages,
  withNonce,
} from './prepared-pages.ts'

/** Requests that reached the application, and its next fault. */
const requests: IncomingMessage[] = []
let failureMode: 'none' | 'fails' | 'sets a cookie' | 'has no nonce' = 'none'
let close = async () => {}

beforeEach(() => {
  requests.length = 0
  failureMode = 'none'
})
afterEach(() => close())

/** Answers like Next: in chunks, with the nonce of the request, and with its own status. */
async function inside(req: IncomingMessage, res: ServerResponse) {
  requests.push(req)
  if (failureMode === 'fails') throw new Error('broken')
  res.statusCode = req.url?.startsWith('/sign-in') ? 200 : 404
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Link', `</x.css>; nonce="${req.headers['x-nonce']}"`)
  if (failureMode === 'sets a cookie') res.setHeader('Set-Cookie', 'a=b')
  const nonce = failureMode === 'has no nonce' ? '' : req.headers['x-nonce']
  res.write(`<html data-theme="${req.headers.cookie ?? ''}"><script nonce="${nonce}">`)
  await Promise.resolve()
  res.write(Buffer.from(`"é"</script><p>${req.url}`))
  res.end(`<script nonce="${nonce}"></script>`)
}

const PATHS: Record<string, 'screen' | 'other'> = {
  '/sign-in': 'other',
  '/unsubscribe': 'other',
  '/assets': 'screen',
}

async function opened() {
  const pages = preparedPages({
    kindOf: (path) => PATHS[path.replace(/\/$/, '')],
    inside,
    host: 'console.example',
    https: false,
    otherwise: async (_, res) => void res.end('otherwise'),
  })
  const testServer = await openTestServer({
    pages,
    admission: async (req) => ({ isMember: req.headers.cookie === 'member' }),
  })
  close = testServer.close
  return async (line: string, ...headers: string[]) => {
    const { answers } = await testServer.request(line, ['Host: console.example', ...headers])
    return answers[0] ?? { status: 0, headers: {}, body: '' }
  }
}

const utf8 = (body: string) => Buffer.from(body, 'latin1').toString()
const nonceOf = (policy: string | undefined) => /'nonce-([^']+)'/.exec(policy ?? '')?.[1]

describe('the sign-in page and the 404', () => {
  test('are rendered once, and sent with each response’s nonce', async () => {
    const get = await opened()
    const answers = [
      await get('GET /sign-in?from=/secret'),
      await get('GET /sign-in/'),
      await get('GET /sign-in?x'),
    ]
    const nonces = answers.map(({ headers }) => nonceOf(headers['content-security-policy']))
    expect(new Set(nonces).size).toBe(3)
    for (const [at, { status, headers, body }] of answers.entries()) {
      const nonce = nonces[at]
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        link: `</x.css>; nonce="${nonce}"`,
      })
      expect(utf8(body)).toBe(
        `<html data-theme=""><script nonce="${nonce}">"é"</script><p>/sign-in<script nonce="${nonce}"></script>`,
      )
    }
    const nothing = [await get('GET /nowhere'), await get('GET /nowhere/else?a=b')]
    expect(nothing.map(({ status }) => status)).toEqual([404, 404])
    // The shared page contains nothing of a request.
    expect(nothing.map(({ body }) => body.includes('nowhere'))).toEqual([false, false])
    expect(requests).toHaveLength(2)
  })

  test('are rendered once for many concurrent first requests', async () => {
    const get = await opened()
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('GET /sign-in')))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(requests).toHaveLength(1)
  })

  const themes = async () => {
    const get = await opened()
    return async (cookie: string) =>
      /data-theme="([^"]*)"/.exec((await get('GET /sign-in', cookie)).body)?.[1]
  }

  test('have a rendering for each color theme, and none for other cookies', async () => {
    const theme = await themes()
    expect(await theme('Cookie: a=b; theme=dark')).toBe('theme=dark')
    expect(await theme('Cookie: theme=light')).toBe('theme=light')
    expect(await theme('Cookie: theme="><script>; session=x')).toBe('')
    expect(await theme('Cookie: other=x')).toBe('')
    expect(requests).toHaveLength(3)
    for (const { headers } of requests) expect(Object.keys(headers)).not.toContain('accept-encoding')
  })

  test('read the theme from the host-bound cookie over https', async () => {
    const theme = await themes()
    vi.stubEnv('BASE_URL', 'https://console.example')
    expect(await theme('Cookie: theme=dark')).toBe('')
    expect(await theme('Cookie: __Host-theme=dark')).toBe('__Host-theme=dark')
    vi.unstubAllEnvs()
  })

  test('are compressed for clients that accept gzip, and have a Content-Length', async () => {
    const get = await opened()
    const plain = await get('GET /sign-in', 'Accept-Encoding: gzip;q=0, br')
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': `${plain.body.length}` })
    const packed = await get('GET /sign-in', 'Accept-Encoding: br, gzip, deflate')
    expect(packed.headers['content-encoding']).toBe('gzip')
    const nonce = nonceOf(packed.headers['content-security-policy'])
    expect(gunzipSync(Buffer.from(packed.body, 'latin1')).toString()).toContain(
      `<script nonce="${nonce}">"é"`,
    )
    expect(await get('HEAD /sign-in')).toMatchObject({ status: 200, body: '' })
  })

  test('are not sent to members, to navigations, nor for existing pages', async () => {
    const get = await opened()
    const others = [
      await get('GET /unsubscribe'),
      await get('GET /assets', 'Cookie: member'),
      await get('GET /assets', 'RSC: 1'),
      await get('GET /sign-in', 'Cookie: member'),
      await get('GET /nowhere', 'RSC: 1'),
      await get('GET /sign-in', 'Next-Router-State-Tree: x'),
    ]
    expect(others.map(({ body }) => body)).toEqual(Array(6).fill('otherwise'))
    expect((await get('GET /nowhere', 'Cookie: member')).status).toBe(404)
  })

  test.each(['fails', 'sets a cookie', 'has no nonce'] as const)(
    'are rendered by Next if the first render %s, and prepared on a later request',
    async (how) => {
      const get = await opened()
      failureMode = how
      expect((await get('GET /sign-in')).body).toBe('otherwise')
      failureMode = 'none'
      expect((await get('GET /sign-in')).status).toBe(200)
    },
  )
})

test('a client without a session is redirected from a screen to the sign-in page, and returns to it afterwards', async () => {
  const get = await opened()
  const { status, headers, body } = await get('GET /assets?filter=type:workspace-suite&search=%20')
  expect([status, body]).toEqual([307, ''])
  const from = '/assets?filter=type:workspace-suite&search=%20'
  expect(headers).toMatchObject({
    location: `/sign-in?from=${encodeURIComponent(from)}`,
    'cache-control': 'no-store',
  })
  expect(requests).toEqual([])
})

test('a page with nonces in any places is the same compressed and plain', async () => {
  const part = fc.string({ unit: 'binary' })
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 2, maxLength: 5 }),
      fc.base64String(),
      async (parts, nonce) => {
        fc.pre(!parts.some((text) => text.includes(NONCE_PLACEHOLDER)))
        const page = await preparedPage((_, res) => void res.end(parts.join(NONCE_PLACEHOLDER)), '/', {})
        if (!page) return expect.fail('not prepared')
        expect(withNonce(page, nonce).toString()).toBe(Buffer.from(parts.join(nonce)).toString())
        expect(gunzipSync(packedWithNonce(page, nonce)).equals(withNonce(page, nonce))).toBe(true)
      },
    ),
  )
})
