import 'server-only'
import type { ApiSurface } from '#lib/platform/caller/rules.ts'
import type { ApiResponse } from './endpoint.ts'
import type { Reply } from './operation.ts'
import type { Problem } from './problem.ts'
import { type ApiRequest, matchesEtag } from './request.ts'

/** A protocol that others have written down, which some calls keep to: what opens them, and how bodies are written. */
export type Protocol = {
  /** Below which its paths are: `/scim/…`. */
  root: `/${string}/…`
  /** Whose secrets open it. */
  surface: ApiSurface
  /** The media type of answers, and what a request should have. */
  type: string
  /** The media types that a request may have. */
  takes: RegExp
  errorFormat: ErrorFormat
}

/** How refusals are written. */
export type ErrorFormat = {
  type: string
  /** The body of one. */
  text(problem: Problem, requestId: string): string
}

/** An answer as a protocol has it: `version` is the whole ETag, since the protocol's bodies tell it, too. */
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
