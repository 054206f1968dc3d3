import type { z } from 'zod'
import type { ProblemCode } from '../problem.ts'

/** The headers that our answers carry, beside those of HTTP itself. */
export const RESPONSE_HEADERS = {
  'Request-Id': {
    description:
      'Names this request in our logs. A request may bring its own: 8 to 64 of A-Z, a-z, 0-9, _ and -.',
  },
  'Cache-Control': { description: 'Who may keep the answer, and how.' },
  'X-Content-Type-Options': { description: 'Always `nosniff`.' },
  ETag: { description: 'Names this state of the answer: If-None-Match asks whether it still fits.' },
  'Content-Disposition': { description: 'The name under which the file is saved.' },
  'Repr-Digest': { description: 'SHA-256 of the file, as RFC 9530 writes it: `sha-256=:…:`.' },
  'Dry-Run': { description: '`true` where the call was a dry run: nothing was sent, nothing stored.' },
  'RateLimit-Policy': {
    description:
      'The limits that the request counts for, as the IETF draft on RateLimit header fields writes them: `q` requests in `w` seconds.',
  },
  RateLimit: {
    description:
      'How these limits stand: `r` requests are left, as far as the process that answers knows, and in `t` seconds the next minute begins.',
  },
  'Retry-After': { description: 'After how many seconds to ask again.', type: 'integer' },
  'WWW-Authenticate': { description: 'How to authenticate: `Bearer`.' },
  Allow: { description: 'The methods that this path has.' },
} as const satisfies Record<string, { description: string; type?: 'integer' }>

export type HeaderName = keyof typeof RESPONSE_HEADERS
/** Headers of an answer: those that it always has, and those that it has at times. */
export type HeaderNames = { always: readonly HeaderName[]; sometimes: readonly HeaderName[] }

/** What a contract says of its own headers. */
type Declared = { responseHeaders: readonly HeaderName[]; permission: string }

const EVERYWHERE: readonly HeaderName[] = ['Request-Id', 'Cache-Control', 'X-Content-Type-Options']

/** How the caller's limits stand, or for a stranger that of their address, which the door of our own server knows. */
const LIMITS: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit']
const OF_PROBLEM: Partial<Record<ProblemCode, HeaderName>> = {
  unauthenticated: 'WWW-Authenticate',
  method_not_allowed: 'Allow',
  rate_limited: 'Retry-After',
  change_in_progress: 'Retry-After',
  vendor_unavailable: 'Retry-After',
  outcome_unknown: 'Retry-After',
  service_unavailable: 'Retry-After',
}

/** The headers of what a call answers when it is done (200), or has nothing new to say (304). */
export function headersOfAnswer(contract: Declared & { output: z.ZodType }): HeaderNames {
  const { output, responseHeaders, permission } = contract
  const { mediaType, streamed } = output.meta() ?? {}
  const isKnown = permission !== 'none'
  const tag = streamed ? [] : (['ETag'] as const)
  const name = mediaType ? (['Content-Disposition'] as const) : []
  return {
    always: [...EVERYWHERE, ...(isKnown ? LIMITS : []), ...tag, ...name],
    sometimes: [...responseHeaders, ...(isKnown ? [] : LIMITS)],
  }
}

/** The headers of a problem with one of these codes. */
export function headersOfProblem(
  { responseHeaders }: Pick<Declared, 'responseHeaders'>,
  codes: readonly ProblemCode[],
): HeaderNames {
  const own = codes.map((code) => OF_PROBLEM[code])
  const named = [...new Set(own)].filter((name) => name !== undefined)
  const isCommon = (name: HeaderName) => own.every((each) => each === name)
  return {
    always: [...EVERYWHERE, ...named.filter(isCommon)],
    sometimes: [...named.filter((name) => !isCommon(name)), ...responseHeaders, ...LIMITS],
  }
}
