import { expect, test } from 'vitest'
import { PROBLEMS, Problem, type ProblemCode } from '#lib/platform/api/problem.ts'
import { checkTarget, fateOf } from './check.ts'

const facts = { status: 'ACTIVE', isCommitmentPlan: false, purchased: 10 }
const newer = new Problem('version_mismatch', 'Ana set it', {
  members: { current: 12, changedBy: 'Ana', etag: '"2.x"' },
})

test.each([
  [15, ['ok'], { check: 'allowed', etag: '"1.x"', facts }],
  [10, ['ok'], { check: 'same' }],
  [15, [newer, 'ok'], { check: 'allowed', etag: '"2.x"', facts: { ...facts, purchased: 12 } }],
  [12, [newer, 'ok'], { check: 'same' }],
  [15, [newer, newer], { check: 'refused', error: newer }],
  [15, [new Problem('vendor_rejected')], { check: 'refused' }],
  [15, [new Problem('vendor_unavailable')], { check: 'unchecked' }],
  [15, [new TypeError('gone')], { check: 'unchecked' }],
])('a check of %i that is answered %j', async (quantity, answers, expected) => {
  const etags: (string | undefined)[] = []
  const checked = await checkTarget(quantity, { facts, etag: '"1.x"' }, async (etag) => {
    const answer = answers[etags.push(etag) - 1]
    if (answer instanceof Error) throw answer
  })
  expect(checked).toMatchObject(expected)
  expect(etags).toEqual(['"1.x"', '"2.x"'].slice(0, answers.length))
})

test('what each error means for its row', () => {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]
  const of = (fate: string) => codes.filter((code) => fateOf(new Problem(code), 7) === fate)
  expect(of('conflict')).toEqual(['version_mismatch'])
  expect(of('unknown')).toEqual(['outcome_unknown'])
  expect(of('stopped')).toEqual(['unauthenticated', 'permission_denied'])
  expect(of('failed').toSorted()).toEqual(['change_in_progress', 'rate_limited', 'vendor_unavailable'])
  expect(of('lost').toSorted()).toEqual(['internal_error', 'service_unavailable'])
  expect(fateOf(new TypeError('fetch failed'), 7)).toBe('lost')
  const first = new Problem('version_mismatch', undefined, {
    members: { current: 7, changedBy: 'Ana', etag: '"2.x"' },
  })
  expect([fateOf(first, 7), fateOf(first, 8)]).toEqual(['done', 'conflict'])
  expect(of('refused')).toEqual(
    expect.arrayContaining(['vendor_rejected', 'decrease_not_allowed', 'not_found']),
  )
})
