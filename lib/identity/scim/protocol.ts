import { Problem, type ProblemCode } from '#lib/platform/api/problem.ts'
import type { Protocol } from '#lib/platform/api/protocol.ts'

/** Error types of RFC 7644 (3.12). */
type ScimType =
  | 'invalidFilter'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'invalidValue'
  | 'mutability'
  | 'uniqueness'

const BY_CODE: Partial<Record<ProblemCode, ScimType>> = {
  invalid_request: 'invalidSyntax',
  member_exists: 'uniqueness',
}
const named = new WeakMap<Problem, ScimType>()

/** Returns a SCIM error for a wrong request (400, and 409 for `uniqueness`), with SCIM's name for the reason. */
export function scimError(type: ScimType, detail: string): Problem {
  // The code is for the log only: SCIM errors have none.
  const problem = new Problem(type === 'uniqueness' ? 'member_exists' : 'invalid_request', detail)
  named.set(problem, type)
  return problem
}

/**
 * Protocol of SCIM 2.0 (RFC 7643, RFC 7644): its own media type, its own errors, and tokens that are valid there only.
 */
export const SCIM: Protocol = {
  root: '/scim/…',
  surface: 'scim',
  type: 'application/scim+json',
  takes: /^application\/(scim\+)?json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i,
  errorFormat: {
    type: 'application/scim+json',
    text(problem) {
      const scimType = named.get(problem) ?? BY_CODE[problem.code]
      const { status, message: detail } = problem
      return JSON.stringify({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: String(status),
        ...(scimType ? { scimType } : {}),
        detail,
      })
    },
  },
}
