import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from '@playwright/test'

const base = process.env.E2E_BASE_URL ?? ''

type Got = { status: number; headers: IncomingHttpHeaders; bytes: Buffer }

/** Returns the bytes as transferred: a browser's `fetch` would have decompressed them. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(new URL(path, base), { method, headers }, async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk)
      const { statusCode: status = 0, headers: got } = answer
      resolve({ status, headers: got, bytes: Buffer.concat(chunks) })
    })
    clientRequest.on('error', reject).end()
  })
}

const accepting = (encoding: string) => ({ 'Accept-Encoding': encoding })

async function filesOf(page: string): Promise<string[]> {
  const html = (await get(page)).bytes.toString()
  return [...new Set(html.match(/\/_next\/static\/[\w./~-]+\.(js|css|woff2)/g))]
}

test('scripts and styles are compressed for clients that accept it, and cached forever', async () => {
  const files = (await filesOf('/sign-in')).filter((file) => !file.endsWith('.woff2'))
  expect(files.some((file) => file.endsWith('.css'))).toBe(true)
  for (const file of files) {
    const plain = await get(file)
    expect(plain.headers['content-encoding']).toBeUndefined()
    const brotli = await get(file, accepting('gzip, deflate, br, zstd'))
    const gzip = await get(file, accepting('gzip'))
    expect([brotli, gzip].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip'])
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true)
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true)
    for (const { status, headers, bytes } of [plain, brotli, gzip]) {
      expect(status).toBe(200)
      expect(headers['content-type']).toBe(
        `text/${file.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
      )
      expect(headers['content-length']).toBe(String(bytes.length))
      expect(headers['cache-control']).toBe('public,max-age=31536000,immutable')
      expect(headers.vary).toBe('Accept-Encoding')
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
    expect(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size).toBe(3)
    const again = await get(file, { ...accepting('br'), 'If-None-Match': brotli.headers.etag ?? '' })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
    const bodiless = await get(file, accepting('br'), 'HEAD')
    expect([bodiless.headers['content-length'], bodiless.bytes.length]).toEqual([
      String(brotli.bytes.length),
      0,
    ])
  }
})

test('only the files made for browsers are served', async () => {
  for (const path of [
    '/_next/BUILD_ID',
    '/_next/server/pages-manifest.json',
    '/_next/static/%2e%2e/BUILD_ID',
  ])
    expect((await get(path)).status).toBe(404)
})

test('pages are compressed, and answers with guessable secrets are not (BREACH)', async () => {
  // Not a prerendered page: those have only gzip.
  const plain = await get('/unsubscribe')
  const brotli = await get('/unsubscribe', accepting('gzip, br'))
  const gzip = await get('/unsubscribe', accepting('gzip'))
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect([brotli, gzip].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip'])
  for (const html of [plain.bytes, brotliDecompressSync(brotli.bytes), gunzipSync(gzip.bytes)])
    expect(html.toString()).toContain('This link is not valid')
  for (const { headers } of [plain, brotli, gzip]) expect(headers.vary).toContain('Accept-Encoding')
  for (const path of ['/api/auth/csrf', '/billing/v1/assets', '/healthz'])
    expect((await get(path, accepting('gzip, br'))).headers['content-encoding']).toBeUndefined()
})
