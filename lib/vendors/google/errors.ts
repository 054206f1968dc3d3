import 'server-only'
import { z } from 'zod'
import { oneLine } from '#lib/platform/values/text.ts'
import { type Answer, jsonOf, type Reply, retryAfterOf, whyOf } from '../client.ts'
import type { Unavailable, VendorRead, Why, WriteAnswer } from '../vendor.ts'

const reasons = z
  .array(z.object({ reason: z.string().optional() }))
  .optional()
  .catch(undefined)

/** Google's error envelope: as documented for these APIs, with reasons where newer front ends put them. */
const Envelope = z.object({
  error: z.object({ message: z.string().catch(''), errors: reasons, details: reasons }),
})
const Status404 = z.object({ error: z.object({ code: z.literal(404) }) })

/** Google's codes for problems of the caller instead of the change: quotas, a disabled API, the token. */
const NOT_LET_IN: Record<string, Why> = {
  dailyLimitExceeded: 'throttled',
  dailyLimitExceededUnreg: 'throttled',
  rateLimitExceeded: 'throttled',
  userRateLimitExceeded: 'throttled',
  quotaExceeded: 'throttled',
  RATE_LIMIT_EXCEEDED: 'throttled',
  accessNotConfigured: 'no_access',
  SERVICE_DISABLED: 'no_access',
  authError: 'no_access',
  insufficientPermissions: 'no_access',
  ACCESS_TOKEN_SCOPE_INSUFFICIENT: 'no_access',
}

const REJECTED = 'Google refused the change'
/** Message to people for a refusal with this status; Google's own message follows. */
const REJECTIONS: Record<number, string> = {
  403: 'Google does not let us manage this customer',
  412: 'Google does not allow it for this subscription now',
}

export type VendorError = { code: string | undefined; message: string }

/** Returns Google's error of an answer; undefined if the answer is not Google's. */
export function vendorErrorOf({ text }: Answer): VendorError | undefined {
  const envelope = Envelope.safeParse(jsonOf(text))
  if (!envelope.success) return undefined
  const { message, errors = [], details = [] } = envelope.data.error
  const code = [...errors, ...details].find((entry) => entry.reason !== undefined)?.reason
  return { code, message: oneLine(message) }
}

/** Returns whether Google's error reports too many calls, which has status 403, 429 or 503. */
export function isThrottled(answer: Answer): boolean {
  return NOT_LET_IN[vendorErrorOf(answer)?.code ?? ''] === 'throttled'
}

/** Returns why a read failed. */
export function unavailable(reply: Reply): Unavailable {
  return { kind: 'unavailable', reason: described(reply), retryAfter: waitOf(reply), why: reasonWhy(reply) }
}

/** Returns the failure for an invalid answer: other subscriptions may be readable. */
export function nonsense(): Unavailable {
  return { kind: 'unavailable', reason: 'The answer from Google could not be understood.', others: 'answer' }
}

/**
 * Returns whether Google itself reports that the subscription does not exist: with its error envelope, which no proxy
 * sends.
 */
export function isMissing(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === 404 && Status404.safeParse(jsonOf(reply.text)).success
}

/** Returns `missing` if the customer does not grant access (any more). */
export function closed(reply: Reply): VendorRead | undefined {
  if (reply.kind !== 'answer' || reply.status !== 403) return undefined
  const failure = writeFailure(reply)
  const isClosed = failure !== 'gone' && failure.kind === 'rejected'
  return isClosed ? { kind: 'missing', reason: failure.reason } : undefined
}

/**
 * Returns the meaning of a failed write; `gone` if Google does not know the subscription, and so has done nothing. Only
 * Google's own definite refusal is `rejected`: a proxy may refuse, too, and a server error leaves the outcome unknown.
 */
export function writeFailure(reply: Reply): Exclude<WriteAnswer, { kind: 'applied' }> | 'gone' {
  const reason = described(reply)
  const retryAfter = waitOf(reply)
  const why = reasonWhy(reply)
  const notLetIn = { kind: 'not_sent', code: 'vendor_unavailable', reason, retryAfter, why } as const
  if (reply.kind === 'unsent') return notLetIn
  if (reply.kind === 'cut') return { kind: 'unknown', reason }
  const { status } = reply
  if (status < 400 || status >= 500 || status === 408) return { kind: 'unknown', reason }
  if (isMissing(reply)) return 'gone'
  // A 404 of a proxy may have come after Google received the request.
  if (status === 404) return { kind: 'unknown', reason }
  if (status === 409) return { kind: 'not_sent', code: 'change_in_progress', reason, retryAfter }
  const vendorError = vendorErrorOf(reply)
  if (!vendorError || why) return notLetIn
  if (status === 400 && vendorError.code === 'badRequest') {
    const text = sentence('Google says that it is not active', vendorError)
    return { kind: 'rejected', code: 'subscription_not_active', reason: text }
  }
  return {
    kind: 'rejected',
    code: 'vendor_rejected',
    reason: sentence(REJECTIONS[status] ?? REJECTED, vendorError),
  }
}

function waitOf(reply: Reply): number | undefined {
  if (reply.kind === 'answer') return retryAfterOf(reply.headers)
  return reply.kind === 'unsent' ? reply.retryAfter : undefined
}

function reasonWhy(reply: Reply): Why | undefined {
  const code = reply.kind === 'answer' ? vendorErrorOf(reply)?.code : undefined
  return whyOf(reply, NOT_LET_IN[code ?? ''])
}

function described(reply: Reply): string {
  if (reply.kind === 'unsent') return `Google could not be asked: ${reply.reason}.`
  if (reply.kind === 'cut') return `Google was asked, but gave no answer: ${reply.reason}.`
  const vendorError = vendorErrorOf(reply)
  if (!vendorError) return `Google's address answered ${reply.status} without Google's own words.`
  const details = [vendorError.code, vendorError.message].filter(Boolean).join(': ')
  return `Google answered ${reply.status}${details ? ` (${details})` : ''}.`
}

function sentence(what: string, { message }: VendorError): string {
  const text = message ? `${what}: ${message}` : what
  return /[.…]$/.test(text) ? text : `${text}.`
}
