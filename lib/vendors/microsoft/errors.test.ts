import { expect, test } from 'vitest'
import { unavailable, vendorErrorOf, writeFailure } from './errors.ts'

const reply = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  kind: 'answer' as const,
  status,
  headers: new Headers(headers),
  text: typeof body === 'string' ? body : JSON.stringify(body),
  correlationId: 'c-1',
})

test.each([
  [400, { code: 800090 }, 'rejected', 'These licenses can’t be returned before the term ends. (800090)'],
  [400, { code: '1', description: ' a\n\tb\u0000 ' }, 'rejected', 'a b (1)'],
  [400, { code: '1', description: null }, 'rejected', 'It answered 400. (1)'],
  [400, { error: { code: 'x', message: 'No.' } }, 'rejected', 'No. (x)'],
  [400, '<html>', 'not_sent', 'It answered 400.'],
  [404, '<html>', 'unknown', expect.stringContaining('404')],
  [404, { message: 'no Route matched' }, 'unknown', expect.stringContaining('404')],
  [404, { code: 20002 }, 'rejected', 'It answered 404. (20002)'],
  [400, { code: 1, description: 'y'.repeat(1000) }, 'rejected', `${'y'.repeat(299)}… (1)`],
  [405, '', 'not_sent', 'It answered 405.'],
  [403, { code: '900416', description: 'Locked.' }, 'rejected', 'Locked. (900416)'],
  [403, '<html>', 'not_sent', 'It answered 403.'],
  [401, { code: '800090' }, 'not_sent', expect.stringContaining('(800090)')],
  [429, '', 'not_sent', 'It answered 429.'],
  [409, {}, 'not_sent', 'It answered 409.'],
  [408, { code: 800090 }, 'unknown', expect.stringContaining('408')],
  [500, { code: 800090 }, 'unknown', expect.stringContaining('500')],
  [302, '', 'unknown', expect.stringContaining('302')],
])('a write answered by %i %j is %s', (status, body, kind, reason) => {
  expect(writeFailure(reply(status, body))).toMatchObject({ kind, reason })
})

test.each([
  [{ code: 2001 }, { code: '2001', message: 'The subscription is suspended.' }],
  [{ error: { code: 'x', message: ' No.\n' } }, { code: 'x', message: 'No.' }],
  ['<html>', undefined],
])('parses %j', (body, expected) => {
  expect(vendorErrorOf(reply(400, body))).toEqual(expected)
})

test.each([
  [412, {}],
  [400, { code: 2055 }],
])('%i %j means that the subscription has changed', (status, body) => {
  expect(writeFailure(reply(status, body))).toBe('stale')
})

test('an unexecuted write reports when to try again', () => {
  const pending = (code: number, headers = {}) => writeFailure(reply(409, { code }, headers))
  const isPending = { kind: 'not_sent', code: 'change_in_progress' }
  expect(pending(900278, { 'retry-after': '60' })).toMatchObject({ ...isPending, retryAfter: 60 })
  // "Try again after 24 hours."
  expect(pending(900278)).toMatchObject({ ...isPending, retryAfter: 86_400 })
  expect(pending(1)).toMatchObject({ ...isPending, retryAfter: 600 })
  expect(unavailable(reply(503, '', { 'retry-after': '9' }))).toMatchObject({
    kind: 'unavailable',
    retryAfter: 9,
  })
})
