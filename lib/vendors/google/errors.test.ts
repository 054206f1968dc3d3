import { describe, expect, test } from 'vitest'
import { isMissing, isThrottled, unavailable, vendorErrorOf, writeFailure } from './errors.ts'

const answer = (status: number, reason?: string, headers = {}) => {
  const errors = [{ domain: 'global', reason, message: 'Words.' }]
  const body = { error: { code: status, message: 'Words.', errors } }
  const text = reason === undefined ? '<html>' : JSON.stringify(body)
  return { kind: 'answer' as const, status, headers: new Headers(headers), text }
}
const REJECTED = { kind: 'rejected', code: 'vendor_rejected' }
const NOT_ACTIVE = { kind: 'rejected', code: 'subscription_not_active' }
const NOT_SENT = { kind: 'not_sent', code: 'vendor_unavailable' }
const UNKNOWN = { kind: 'unknown' }

describe('Google’s answers to a write', () => {
  test.each([
    [400, 'invalid', REJECTED, 'Google refused the change: Words.'],
    [400, 'required', REJECTED, 'Google refused the change: Words.'],
    [400, 'badRequest', NOT_ACTIVE, 'Google says that it is not active: Words.'],
    [403, 'forbidden', REJECTED, 'Google does not let us manage this customer: Words.'],
    [403, 'dailyLimitExceeded', NOT_SENT, 'Google answered 403 (dailyLimitExceeded: Words.).'],
    [403, 'accessNotConfigured', NOT_SENT, 'Google answered 403 (accessNotConfigured: Words.).'],
    [403, 'rateLimitExceeded', NOT_SENT, 'rateLimitExceeded'],
    [403, 'insufficientPermissions', NOT_SENT, 'insufficientPermissions'],
    [401, 'authError', NOT_SENT, '401'],
    [409, 'conflict', { kind: 'not_sent', code: 'change_in_progress' }, '409'],
    [412, 'conditionNotMet', REJECTED, 'Google does not allow it for this subscription now: Words.'],
    [429, 'quotaExceeded', NOT_SENT, '429'],
    [408, 'timeout', UNKNOWN, '408'],
    [500, 'backendError', UNKNOWN, '500'],
    [502, 'x', UNKNOWN, '502'],
    [503, 'quotaExceeded', UNKNOWN, '503'],
    [302, 'x', UNKNOWN, '302'],
    [101, 'x', UNKNOWN, '101'],
  ])('%i %s', (status, reason, kind, message) => {
    expect(writeFailure(answer(status, reason))).toMatchObject({
      ...kind,
      reason: expect.stringContaining(message),
    })
  })

  test.each([
    [400, NOT_SENT],
    [403, NOT_SENT],
    [404, UNKNOWN],
    [412, NOT_SENT],
    [500, UNKNOWN],
  ])('%i without Google’s envelope comes from a proxy, and is not a refusal', (status, kind) => {
    const reason = `Google's address answered ${status} without Google's own words.`
    expect(writeFailure(answer(status))).toMatchObject({ ...kind, reason })
  })

  test('404 notFound means that the subscription is gone, and nothing was done', () => {
    expect(writeFailure(answer(404, 'notFound'))).toBe('gone')
  })

  test.each([
    [{ error: {} }],
    [{ error: { message: 'no route' } }],
    [{ error: { code: 400, message: 'Words.' } }],
    [{ message: 'no Route matched with those values' }],
  ])('404 with %j is not Google’s answer', (body) => {
    const reply = { ...answer(404), text: JSON.stringify(body) }
    expect(writeFailure(reply)).toMatchObject(UNKNOWN)
    expect(isMissing(reply)).toBe(false)
  })

  test('passes Retry-After on', () => {
    const throttled = answer(429, 'quotaExceeded', { 'retry-after': '7' })
    expect(writeFailure(throttled)).toMatchObject({ ...NOT_SENT, retryAfter: 7, why: 'throttled' })
    expect(unavailable(throttled)).toMatchObject({ kind: 'unavailable', retryAfter: 7, why: 'throttled' })
    expect(unavailable(answer(503, 'backendError'))).toMatchObject({ retryAfter: undefined, why: undefined })
  })

  test('a withdrawn key is distinguished from too many calls', () => {
    const why = (status: number, reason: string) => unavailable(answer(status, reason)).why
    expect(why(401, 'authError')).toBe('no_access')
    expect(why(403, 'accessNotConfigured')).toBe('no_access')
    expect(why(403, 'rateLimitExceeded')).toBe('throttled')
    expect(why(403, 'forbidden')).toBeUndefined()
  })
})

test.each([
  [{ error: { message: 'M', details: [{}, { reason: 'SERVICE_DISABLED' }] } }, 'SERVICE_DISABLED', 'M'],
  [{ error: { message: 'M', errors: 'odd' } }, undefined, 'M'],
  [{ error: {} }, undefined, ''],
  [{ error: { message: `a\u0000\n b ${'x'.repeat(400)}` } }, undefined, `a b ${'x'.repeat(295)}…`],
])('parses %j', (body, code, message) => {
  expect(vendorErrorOf({ ...answer(400), text: JSON.stringify(body) })).toEqual({ code, message })
})

test.each([[{ error: 'invalid_grant' }], ['text'], [null], [[]], [{}]])(
  '%j is not Google’s envelope',
  (body) => {
    expect(vendorErrorOf({ ...answer(400), text: JSON.stringify(body) })).toBeUndefined()
  },
)

test.each([
  ['rateLimitExceeded', 403, true],
  ['dailyLimitExceeded', 403, true],
  ['quotaExceeded', 503, true],
  ['backendError', 503, false],
  ['forbidden', 403, false],
])('%s with %d means too many calls: %j', (reason, status, expected) => {
  expect(isThrottled(answer(status, reason))).toBe(expected)
})
