import { expect, test } from 'vitest'
import { PROBLEMS, Problem, type ProblemCode } from '#lib/platform/api/problem.ts'
import { fateOf } from './fate.ts'

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
