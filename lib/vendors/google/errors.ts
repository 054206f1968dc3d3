import 'server-only'
import { z } from 'zod'
import { retryAfterOf } from '../exchange.ts'
import type { Unavailable, WriteAnswer } from '../vendor.ts'
import type { GoogleAnswer } from './client.ts'

/** Google's envelope: of these APIs as documented, and the reasons where newer front ends put them. */
const Envelope = z.object({
  error: z.object({
    message: z.string().catch(''),
    errors: z
      .array(z.object({ reason: z.string().optional() }))
      .optional()
      .catch(undefined),
    details: z
      .array(z.object({ reason: z.string().optional() }))
      .optional()
      .catch(undefined),
  }),
})

/** What Google says of the caller and not of the change: quotas, the API switched off, the token. */
const NOT_LET_IN = new Set([
  'dailyLimitExceeded',
  'dailyLimitExceededUnreg',
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'quotaExceeded',
  'RATE_LIMIT_EXCEEDED',
  'accessNotConfigured',
  'SERVICE_DISABLED',
  'authError',
  'insufficientPermissions',
  'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
])

/** How a refusal by this status is told to people; Google's own words follow. */
const REFUSALS: Record<number, string> = {
  400: 'Google refused the change',
  403: 'Google does not let us manage this customer',
  412: 'Google does not allow it for this subscription now',
}

export type Told = { reason: string | undefined; message: string }

/** What Google said of a failure; undefined where it was not Google who answered. */
export function toldBy({ body }: GoogleAnswer): Told | undefined {
  const envelope = Envelope.safeParse(body)
  if (!envelope.success) return undefined
  const { message, errors = [], details = [] } = envelope.data.error
  const reason = [...errors, ...details].find((entry) => entry.reason !== undefined)?.reason
  return { reason, message: forPeople(message) }
}

/** A read that was answered, but not with what was asked. */
export function unavailable(answer: GoogleAnswer): Unavailable {
  const retryAfter = retryAfterOf(answer.headers)
  return { kind: 'unavailable', reason: `${described(answer)}.`, retryAfter }
}

/**
 * A write that was answered, but not with 2xx. Only a definite refusal by Google itself is one: what stands
 * between us may refuse too, and a server's failure says nothing of what it has done.
 */
export function refusedWrite(answer: GoogleAnswer): Exclude<WriteAnswer, { kind: 'applied' }> {
  const { status } = answer
  const told = toldBy(answer)
  const reason = `${described(answer)}.`
  if (status < 400 || status >= 500 || status === 408) return { kind: 'unknown', reason }
  const retryAfter = retryAfterOf(answer.headers)
  if (status === 409) return { kind: 'not_sent', code: 'change_in_progress', reason, retryAfter }
  if (!told || status === 401 || status === 429 || NOT_LET_IN.has(told.reason ?? '')) {
    return { kind: 'not_sent', code: 'vendor_unavailable', reason, retryAfter }
  }
  if (status === 400 && told.reason === 'badRequest') {
    const code = 'subscription_not_active'
    return { kind: 'rejected', code, reason: sentence('Google says that it is not active', told) }
  }
  const what = REFUSALS[status] ?? REFUSALS[400] ?? ''
  return { kind: 'rejected', code: 'vendor_rejected', reason: sentence(what, told) }
}

function described(answer: GoogleAnswer): string {
  const told = toldBy(answer)
  if (!told) return `Google's address answered ${answer.status} without Google's own words`
  const said = [told.reason, told.message].filter(Boolean).join(': ')
  return `Google answered ${answer.status}${said ? ` (${said})` : ''}`
}

function sentence(what: string, { message }: Told): string {
  return message ? `${what}: ${message.replace(/\.$/, '')}.` : `${what}.`
}

function forPeople(message: string): string {
  return message
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, 300)
}
