import { expect, test } from 'vitest'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { changeErrorText } from './change-error-text.ts'

type Code = ProblemError['code']
const problemOf = (code: Code, detail: string, more: ProblemError['more'] = {}) =>
  new ProblemError(code, 409, detail, more)
const text = (code: Code, detail: string, more: ProblemError['more'] = {}) =>
  changeErrorText(problemOf(code, detail, more), 250, 182)

test('an unreachable vendor is named, with the time to try again', () => {
  const detail = 'Google Workspace cannot be reached for the moment. Nothing was changed.'
  expect(text('vendor_unavailable', detail, { retryAfter: 30 })).toEqual({
    title: 'Not changed to 250 licenses',
    detail: `${detail} Try again in 30 seconds.`,
    again: true,
  })
  expect(text('vendor_unavailable', detail)).toMatchObject({ detail: `${detail} Try again in a moment.` })
})

test('another change names its actor; a pending operation at the vendor keeps the vendor’s words', () => {
  const detail = 'Ana Ruiz asked for 260 licenses, and the vendor has not confirmed it yet.'
  expect(text('change_in_progress', detail, { retryAfter: 2, members: { changeId: 'c1' } })).toMatchObject({
    detail: `${detail} Try again in 2 seconds.`,
    again: true,
  })
  const atTheVendor = 'There is a pending operation. Try again after 24 hours.'
  expect(text('change_in_progress', atTheVendor, { retryAfter: 86_400 })).toEqual({
    title: 'Not changed to 250 licenses',
    detail: atTheVendor,
    again: true,
    wait: 86_400,
  })
})

test('a vendor with a wait is retried only afterwards; a broken key is for the reseller', () => {
  const throttled = 'Google Workspace asks us to wait. Nothing was changed.'
  expect(
    text('vendor_unavailable', throttled, { retryAfter: 30, members: { because: 'throttled' } }),
  ).toMatchObject({ detail: throttled, again: true, wait: 30 })
  const shut = 'We have no access to Google Workspace at the moment, which your reseller can restore.'
  expect(text('vendor_unavailable', shut, { retryAfter: 5, members: { because: 'no_access' } })).toEqual({
    title: 'Not changed to 250 licenses',
    detail: shut,
    again: true,
    contactsReseller: true,
  })
})

test('a refusal has the vendor’s reason, and the lowest total if assigned users are the reason', () => {
  const reason = 'The edition is limited to 200 licenses.'
  expect(text('vendor_rejected', reason)).toEqual({
    title: 'Not changed: the vendor refused 250',
    detail: reason,
  })
  expect(text('vendor_rejected', reason, { members: { foreseen: true } })).toEqual({
    title: 'Not sent: the vendor would refuse 250',
    detail: `Nothing was sent. ${reason}`,
  })
  expect(changeErrorText(problemOf('vendor_rejected', 'Users.'), 38, 41)).toMatchObject({ floor: 41 })
  const members = { current: 240, minimum: 240, commitmentEndTime: Date.UTC(2027, 2, 1) }
  expect(text('decrease_not_allowed', 'No.', { members })).toMatchObject({
    detail: 'This plan can’t go below 240 licenses before 1 Mar 2027.',
    floor: 240,
  })
})

test('a missing answer is not called a failure, and a signed-out user can sign in', () => {
  expect(changeErrorText(new TypeError('Failed to fetch'), 250, 0)).toMatchObject({
    title: 'No answer',
    again: true,
  })
  expect(text('unauthenticated', 'No.')).toMatchObject({ signIn: true })
  expect(text('subscription_not_active', 'It is SUSPENDED.')).toEqual({
    title: 'Not changed to 250 licenses',
    detail: 'It is SUSPENDED.',
  })
})

test('an exceeded limit has a wait', () => {
  const rateLimited = problemOf('rate_limited', 'Used up.', { retryAfter: 12 })
  expect(changeErrorText(rateLimited, 250, 182)).toMatchObject({ detail: 'Used up.', again: true, wait: 12 })
})
