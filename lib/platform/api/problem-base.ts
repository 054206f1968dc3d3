import type { ProblemCode } from './problem.ts'
import type { AnyMembers } from './problem-members.ts'

/** Error at one place of the input: `pointer` into the body, or the name of a `parameter`. */
export type InputError = { pointer?: string; parameter?: string; detail: string }

/** Members of a problem other than code and detail. */
export type More<Members> = {
  errors?: InputError[]
  headers?: Record<string, string>
  /** Further members of the problem body, such as `current` and `minimum`, as problem.ts declares them. */
  members?: Members
  /** Stored body of an earlier answer, to be sent unchanged. */
  saved?: string
  /** Id of the refused request, in the browser. */
  requestId?: string
  /** Seconds of the answer's Retry-After, in the browser. */
  retryAfter?: number
}

/**
 * Refusal with a stable code (RFC 9457). The browser throws it for an answer, which has status and text: the titles of
 * all codes stay on the server, whose `Problem` extends it.
 */
export class ProblemError extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly more: More<AnyMembers>

  constructor(code: ProblemCode, status: number, detail: string, more: More<AnyMembers>) {
    super(detail)
    this.name = 'Problem'
    this.code = code
    this.status = status
    this.more = more
  }
}
