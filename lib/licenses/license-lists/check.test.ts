import { expect, test } from 'vitest'
import { PROBLEMS, Problem, type ProblemCode } from '#lib/platform/api/problem.ts'
import { checkTarget, outcomeOf } from './check.ts'

const quantityState = { status: 'ACTIVE', isCommitmentPlan: false, purchased: 10 }
const newer = new Problem('version_mismatch', 'Ana set it', {
  members: { current: 12, changedBy: 'Ana', etag: '"2.x"' },
})

test.each([
  [15, ['ok'], { check: 'allowed', etag: '"1.x"', quantityState }],
  [10, ['ok'], { check: 'same' }],
  [
    15,
    [newer, 'ok'],
    { check: 'allowed', etag: '"2.x"', quantityState: { ...quantityState, purchased: 12 } },
  ],
  [12, [newer, 'ok'], { check: 'same' }],
  [15, [newer, newer], { check: 'refused', error: newer }],
  [15, [new Problem('vendor_rejected')], { check: 'refused' }],
  [15, [new Problem('vendor_unavailable')], { check: 'unchecked' }],
  [15, [new TypeError('gone')], { check: 'unchecked' }],
])('A check of %i results in %j', async (quantity, answers, expected) => {
  const etags: (string | undefined)[] = []
  const checked = await checkTarget(quantity, { quantityState, etag: '"1.x"' }, async (etag) => {
    const answer = answers[etags.push(etag) - 1]
    if (answer instanceof Error) throw answer
  })
  expect(checked).toMatchObject(expected)
  expect(etags).toEqual(['"1.x"', '"2.x"'].slice(0, answers.length))
})

test('Each error maps to the status of its row', () => {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]
  const codesWith = (outcome: string) => codes.filter((code) => outcomeOf(new Problem(code), 7) === outcome)
  expect(codesWith('conflict')).toEqual(['version_mismatch'])
  expect(codesWith('unknown')).toEqual(['outcome_unknown'])
  expect(codesWith('stopped')).toEqual(['unauthenticated', 'permission_denied'])
  expect(codesWith('failed').toSorted()).toEqual(['change_in_progress', 'rate_limited', 'vendor_unavailable'])
  expect(codesWith('lost').toSorted()).toEqual(['internal_error', 'service_unavailable'])
  expect(outcomeOf(new TypeError('fetch failed'), 7)).toBe('lost')
  const first = new Problem('version_mismatch', undefined, {
    members: { current: 7, changedBy: 'Ana', etag: '"2.x"' },
  })
  expect([outcomeOf(first, 7), outcomeOf(first, 8)]).toEqual(['done', 'conflict'])
  expect(codesWith('refused')).toEqual(
    expect.arrayContaining(['vendor_rejected', 'decrease_not_allowed', 'not_found']),
  )
})
