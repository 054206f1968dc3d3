import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { GET, POST } from '#app/api/auth/[...nextauth]/route.ts'
import { readToken } from '#lib/platform/caller/session.ts'
import { authOptions } from './next-auth.ts'

// next-auth brings old libraries: openid-client 5, oauth and jose 4. No input of a client reaches them before our checks.

beforeEach(() => vi.stubEnv('SESSION_SECRET', 'a secret of the tests, long enough'))
afterEach(() => vi.unstubAllEnvs())

test('the only provider is that of passwords: no code of OAuth runs', () => {
  expect(authOptions().providers.map(({ type }) => type)).toEqual(['credentials'])
})

test.each([
  { alg: 'PBES2-HS256+A128KW', enc: 'A256GCM', p2c: 1_000_000_000 },
  { alg: 'RSA-OAEP', enc: 'A256GCM' },
  { alg: 'dir', enc: 'A128CBC-HS256' },
  { alg: 'dir', enc: 'A256GCM', zip: 'DEF' },
])('a session token with the header %j is not decrypted', async (header) => {
  const token = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.AA.AA.AA.AA`
  expect(await readToken({ token, secret: 'any' })).toBeNull()
  const ours = `${Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url')}..AA.AA.AA`
  await expect(readToken({ token: ours, secret: 'any' })).rejects.toThrow()
})

test.each([
  ['GET', 'providers'],
  ['GET', 'session'],
  ['GET', 'signin'],
  ['POST', 'signin/oauth'],
  ['GET', 'callback/oauth'],
  ['GET', 'callback/credentials'],
  ['POST', 'callback/email'],
  ['GET', 'error'],
  ['POST', '_log'],
  ['GET', 'verify-request'],
])('%s %s does not reach next-auth', async (method, path) => {
  const request = new Request(`http://localhost:3000/api/auth/${path}`, { method })
  const context = { params: Promise.resolve({ nextauth: path.split('/') }) }
  const { status } = await (method === 'GET' ? GET : POST)(request, context)
  expect(status).toBe(404)
})
