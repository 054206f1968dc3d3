import { expect, test } from 'vitest'
import { Problem } from '#lib/platform/api/problem.ts'
import { checkTarget } from './check.ts'

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
