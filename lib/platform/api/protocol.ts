import 'server-only'
import type { ApiSurface } from '#lib/platform/caller/rules.ts'
import { env } from '#lib/platform/runtime/env.ts'
import type { ApiResponse } from './endpoint.ts'
import type { Reply } from './operation.ts'
import { PROBLEM_TYPE, type Problem } from './problem.ts'
import { problemShape } from './problem-members.ts'
import { type ApiRequest, matchesEtag } from './request.ts'

/** Published protocol that some calls follow: its media type, credentials and error format. */
export type Protocol = {
  /** Root of its paths: `/scim/…`. */
  root: `/${string}/…`
  /** Kind of credentials that opens the calls. */
  surface: ApiSurface
  /** Media type of answers, and recommended one of requests. */
  type: string
  /** Accepted media types of requests. */
  takes: RegExp
  errorFormat: ErrorFormat
}

/** Format of refusals. */
export type ErrorFormat = {
  type: string
  /** Returns the body of a refusal. */
  text(problem: Problem, requestId: string): string
}

/**
 * Returns the body of a problem, cut to the members that its code declares. Its type is the page that describes the code.
 * @param instance the request id
 * @throws ZodError if a member is missing that its code promises
 */
export function problemText(problem: Problem, instance: string): string {
  const body = problem.body(instance)
  return JSON.stringify(problemShape(problem.code).parse({ ...body, type: env().baseUrl + body.type }))
}

/** Default format of refusals in the API. */
export const PROBLEMS_AS_JSON: ErrorFormat = { type: PROBLEM_TYPE, text: problemText }

/**
 * Writes an answer in a protocol's format: `version` is the whole ETag, because the protocol's bodies contain it, too.
 */
export function written(
  { type }: Protocol,
  request: ApiRequest,
  { body, headers, version, status }: Reply<unknown>,
): ApiResponse {
  const responseHeaders = {
    'Cache-Control': 'no-store',
    ...headers,
    ...(version === undefined ? {} : { ETag: version }),
  }
  if (status === 204) return { status, headers: responseHeaders, body: null }
  if (matchesEtag(request, version)) return { status: 304, headers: responseHeaders, body: null }
  const text = Buffer.from(JSON.stringify(body))
  return { status: status ?? 200, headers: { 'Content-Type': type, ...responseHeaders }, body: text }
}
