import { expect, test } from 'vitest'
import { checkSingle, stripHeaders } from './request-headers.ts'

const strippedHeaders = (headers: Record<string, string>, area: 'api' | 'page', trustProxy = false) => {
  const left = { ...headers }
  stripHeaders(left, area, trustProxy)
  return left
}

const ORDINARY = {
  host: 'localhost',
  authorization: 'Bearer x',
  cookie: 'a=b',
  'content-type': 'application/json',
  'if-none-match': '"a"',
  'sec-fetch-site': 'same-origin',
  'x-requested-with': 'x',
  'x-nonce-sense': 'not ours',
  next: 'x',
}

test('headers that any client may send stay', () => {
  expect(strippedHeaders(ORDINARY, 'api')).toEqual(ORDINARY)
  expect(strippedHeaders(ORDINARY, 'page')).toEqual(ORDINARY)
})

test.each([
  'x-middleware-subrequest',
  'x-middleware-set-cookie',
  'x-nonce',
  'content-security-policy',
  'content-security-policy-report-only',
  'x-nextjs-data',
  'x-next-resume-state-length',
  'x-matched-path',
  'x-now-route-matches',
  'x-invoke-path',
  'next-action',
  'next-resume',
  'request-id',
  'x-client-address',
])('%s can’t be set by clients', (name) => {
  expect(strippedHeaders({ ...ORDINARY, [name]: 'x' }, 'api')).toEqual(ORDINARY)
  expect(strippedHeaders({ ...ORDINARY, [name]: 'x' }, 'page', true)).toEqual(ORDINARY)
})

test.each(['rsc', 'next-router-state-tree', 'next-router-prefetch', 'next-url'])(
  '%s is for pages and not for the API',
  (name) => {
    expect(strippedHeaders({ ...ORDINARY, [name]: '1' }, 'api')).toEqual(ORDINARY)
    expect(strippedHeaders({ ...ORDINARY, [name]: '1' }, 'page')).toEqual({ ...ORDINARY, [name]: '1' })
  },
)

test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-real-ip'])(
  '%s is believed of a trusted proxy only',
  (name) => {
    expect(strippedHeaders({ ...ORDINARY, [name]: 'x' }, 'page')).toEqual(ORDINARY)
    expect(strippedHeaders({ ...ORDINARY, [name]: 'x' }, 'page', true)).toEqual({ ...ORDINARY, [name]: 'x' })
  },
)

test('the first scheme of several proxies counts, if it is valid', () => {
  const scheme = (protocol: string) => strippedHeaders({ 'x-forwarded-proto': protocol }, 'page', true)
  expect(scheme('HTTPS, http')).toEqual({ 'x-forwarded-proto': 'https' })
  expect(scheme('http')).toEqual({ 'x-forwarded-proto': 'http' })
  expect(scheme('gopher')).toEqual({})
})

test.each(['Host', 'Authorization'])('a second header %s is rejected, in any letter case', (name) => {
  expect(() => checkSingle([name, 'a', 'X', name.toLowerCase()])).not.toThrow()
  expect(() => checkSingle([name, 'a', 'X', 'b', name.toUpperCase(), 'a'])).toThrow(`more than one ${name}`)
})
