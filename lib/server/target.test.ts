import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Problem } from '#lib/platform/api/problem.ts'
import { areaOf, readTarget, TARGET_LIMIT } from './target.ts'

const rejection = (target: string) => {
  try {
    return readTarget(target)
  } catch (error) {
    return error instanceof Problem ? `${error.status} ${error.code}` : error
  }
}

test.each([
  ['/assets?filter=type:a|b', '/assets?filter=type:a|b'],
  ['/', '/'],
  ['/billing/v1/assets/', '/billing/v1/assets/'],
  // An encoded slash, backslash or dot in an id stays encoded.
  ['/billing/v1/invoices/INV%2F1', '/billing/v1/invoices/INV%2F1'],
  ['/billing/v1/invoices/a%5Cb...', '/billing/v1/invoices/a%5Cb...'],
  ['/billing/v1/invoices/%C3%A9%20', '/billing/v1/invoices/%C3%A9%20'],
  // Unreserved letters are decoded, but only in the path.
  ['/%62illing/%76%31/%61ssets?x=%61', '/billing/v1/assets?x=%61'],
  // The API rejects a malformed query itself, with the parameter's name.
  ['/assets?x=%ZZ', '/assets?x=%ZZ'],
])('accepts %s as %s', (target, url) => {
  expect(readTarget(target).url).toBe(url)
  expect(readTarget(target).path).toBe(url.split('?')[0])
})

describe('absolute targets', () => {
  test.each([
    ['http://Console.Example/assets?a=b', 'console.example', '/assets?a=b'],
    ['HTTPS://localhost:3000', 'localhost:3000', '/'],
    ['http://localhost:3000?a=b', 'localhost:3000', '/?a=b'],
  ])('%s names %s', (target, host, url) => {
    expect(readTarget(target)).toMatchObject({ host, url })
  })
  test.each([
    'http://',
    'http:///assets',
    'ftp://localhost/',
    'assets',
    '*',
    'localhost:443',
    'javascript:0',
  ])('%s is refused', (target) => expect(rejection(target)).toBe('400 invalid_request'))
  test('user info before the host is part of the host, which is therefore unknown', () => {
    expect(readTarget('http://localhost@evil.example/').host).toBe('localhost@evil.example')
  })
})

test.each([
  '/billing/v1/assets/%ZZ',
  '/%',
  '/%4',
  '/%FF',
  '/%C3',
  '/%ED%A0%80',
  '/a%00b',
  '/a#b',
  '/\xe9',
  '/a\tb',
])('%s is refused as malformed', (target) => expect(rejection(target)).toBe('400 invalid_request'))

test.each([
  '//evil.example',
  '/billing/v1//assets',
  '/\\evil.example',
  '/a\\b',
  '/../sign-in',
  '/a/..',
  '/a/./b',
  '/.',
  '/%2e%2E/x',
  '/a/.%2e/b',
])('%s is not found', (target) => expect(rejection(target)).toBe('404 not_found'))

test('the length of a target is limited', () => {
  const longest = `/${'a'.repeat(TARGET_LIMIT - 1)}`
  expect(readTarget(longest).url).toBe(longest)
  expect(rejection(`${longest}a`)).toBe('400 invalid_request')
})

test.each([
  ['/billing', 'api'],
  ['/billing/v1/assets/%ZZ', 'api'],
  ['/auth?x', 'api'],
  ['http://localhost/auth/v1/validate', 'api'],
  ['/billingv1', 'page'],
  ['/Billing/v1', 'page'],
  ['/authors', 'page'],
  ['/assets?next=/billing/v1', 'page'],
  ['/api/auth/session', 'sign-in'],
  ['/auth/sign-on/callback/x?code=y', 'sign-in'],
  ['/auth/sign-onx', 'api'],
  ['/api/unsubscribe?link=x', 'sign-in'],
  ['/api/confirm?link=x', 'sign-in'],
  // Unknown paths are pages, answered by the prerendered 404.
  ['/api', 'page'],
  ['/api/auth', 'page'],
  ['/api/auth/?x', 'page'],
  ['/api/nothing', 'page'],
  ['/api/unsubscribe/x', 'page'],
  ['/apiary', 'page'],
  ['/healthz?full', 'health'],
  ['/livez', 'health'],
  ['/readyz?', 'health'],
  ['/healthz/x', 'page'],
  ['/_next/static/a.js', 'asset'],
])('%s belongs to the area %s', (target, area) => expect(areaOf(target)).toBe(area))

test('any text is rejected with a problem, or has one canonical form', () => {
  const piece = fc.constantFrom(
    '/',
    '.',
    '%2e',
    '%2F',
    '%5C',
    '%00',
    '%ff',
    '%41',
    '\\',
    '?',
    '#',
    'http:',
    'a',
    '\xe9',
  )
  const targets = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`),
  )
  fc.assert(
    fc.property(targets, (target) => {
      const read = rejection(target)
      if (typeof read === 'string') return /^40[04] (invalid_request|not_found)$/.test(read)
      const { url, path } = readTarget(target)
      // Next's own parser must see the checked path, including any `<`.
      const { pathname } = new URL(url, 'http://here.invalid')
      return readTarget(url).url === url && decodeURIComponent(pathname) === decodeURIComponent(path)
    }),
    { numRuns: 2000 },
  )
})
