import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { contract } from './contract.ts'
import { route } from './endpoint.ts'
import { operation } from './operation.ts'
import { Problem } from './problem.ts'

// Problems that an operation throws, and the responses made from them.

const promise = contract({
  name: 'refuseAll',
  summary: 'It refuses',
  description: 'Whatever is asked.',
  method: 'GET',
  path: '/refusals',
  permission: 'none',
  output: z.object({}),
  problems: ['version_mismatch', 'change_in_progress'],
})

async function rejectedWith(problem: unknown) {
  const { GET } = route(operation(promise, () => Promise.reject(problem)))
  const response = await GET(new Request('http://console.example/refusals'))
  return { status: response.status, body: await response.json() }
}

describe('a problem on its way out', () => {
  it('keeps the members of its code, and no others', async () => {
    const members = { changeId: 'c1', to: 12, changedBy: 'Ana', changedAt: 1, sql: 'SELECT', current: 3 }
    const { status, body } = await rejectedWith(new Problem('change_in_progress', 'Wait.', { members }))
    const memberNames = ['type', 'title', 'status', 'detail', 'instance', 'code', 'error']
    expect([status, body.code, body.to]).toEqual([409, 'change_in_progress', 12])
    expect(Object.keys(body)).toEqual([...memberNames, 'changeId', 'to', 'changedBy', 'changedAt'])
  })

  it('becomes a 500 where it lacks a member that its code promises', async () => {
    const { status, body } = await rejectedWith(new Problem('version_mismatch', 'Ana set it.'))
    expect([status, body.code]).toEqual([500, 'internal_error'])
    expect(JSON.stringify(body)).not.toMatch(/Ana|current|etag/)
  })

  it('becomes a 500 where the contract does not list its code', async () => {
    const { status, body } = await rejectedWith(new Problem('not_comparable', 'Apples and pears.'))
    expect([status, body.code]).toEqual([500, 'internal_error'])
    expect(JSON.stringify(body)).not.toMatch(/Apples|comparable|refuseAll/)
  })

  it('can be made with the members of its own code only', () => {
    // @ts-expect-error: a commitment's minimum says nothing of a version
    const strange = new Problem('version_mismatch', 'x', { members: { minimum: 1 } })
    // @ts-expect-error: it has no members at all
    const bare = new Problem('not_found', 'x', { members: { current: 1 } })
    expect([strange.status, bare.status]).toEqual([412, 404])
  })
})

describe('a contract', () => {
  const problemOf = (fields: object) =>
    contract({ ...promise, permission: 'any', ...fields, problems: [] }).problems.filter(
      (code) => !promise.problems.includes(code),
    )

  it('lists the codes that may be answered before its operation', () => {
    expect(promise.problems).toEqual([
      'invalid_request',
      'method_not_allowed',
      'request_timeout',
      'headers_too_large',
      'internal_error',
      'service_unavailable',
      'version_mismatch',
      'change_in_progress',
    ])
    expect(problemOf({})).toEqual(['unauthenticated', 'rate_limited'])
    expect(problemOf({ permission: 'invoice-viewer' })).toEqual([
      'unauthenticated',
      'permission_denied',
      'rate_limited',
    ])
    expect(problemOf({ params: z.object({ id: z.string() }) })).toContain('not_found')
    expect(problemOf({ query: z.object({ filter: z.string(), pageToken: z.string() }) })).toEqual(
      expect.arrayContaining(['filter_invalid', 'page_token_invalid']),
    )
    expect(problemOf({ method: 'PATCH', body: z.object({}) })).toEqual(
      expect.arrayContaining(['cross_origin', 'body_too_large', 'unsupported_media_type']),
    )
  })
})
