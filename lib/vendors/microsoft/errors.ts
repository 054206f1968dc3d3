import 'server-only'
import { z } from 'zod'
import { oneLine } from '#lib/platform/values/text.ts'
import { type Answer, jsonOf, type Reply, retryAfterOf, whyOf } from '../client.ts'
import type { Unavailable, VendorRead, Why, WriteAnswer } from '../vendor.ts'

/** Meaning of a code for a write; see Partner Center's list of error codes. Other codes are judged by their status. */
const CODES: Record<string, 'stale' | 'inactive' | 'pending' | 'unknown' | 'not_let_in' | 'refused'> = {
  2055: 'stale', // the ETag
  2001: 'inactive',
  2011: 'inactive',
  800091: 'inactive',
  900278: 'pending',
  800094: 'unknown',
  // These codes concern the application's rights, not the subscription.
  90000: 'not_let_in',
  900308: 'not_let_in',
  900309: 'not_let_in',
  900316: 'not_let_in',
  900329: 'not_let_in',
  900420: 'not_let_in',
}

/** Seconds to wait for an operation that is pending at Microsoft, without a header. */
const WAITS: Record<string, number> = {
  900278: 24 * 60 * 60, // "Try again after 24 hours."
}
const DEFAULT_WAIT_SECONDS = 600

/** Messages for codes that Microsoft sends without text. */
const MESSAGES: Record<string, string> = {
  2001: 'The subscription is suspended.',
  2002: 'The number is outside the limits of this product.',
  2011: 'The subscription is not active.',
  800067: 'There are too many licenses of this product.',
  800088: 'There are too many licenses of this product.',
  800090: 'These licenses can’t be returned before the term ends.',
  800091: 'The subscription is suspended or deleted.',
  900311: 'This subscription was changed too often; only Microsoft’s support can change it now.',
}

const code = z.union([z.string(), z.number()]).transform((value) => String(value).slice(0, 40))
const optionalText = z.string().nullish().catch(undefined)
const ErrorBody = z.object({ code, description: optionalText, message: optionalText })
const Envelope = z.union([ErrorBody, z.object({ error: ErrorBody }).transform(({ error }) => error)])

export type VendorError = { code: string; message: string }

/** Returns Microsoft's error of an answer, on one line; undefined for an answer without a code. */
export function vendorErrorOf({ text, status }: Answer): VendorError | undefined {
  const body = Envelope.safeParse(jsonOf(text)).data
  if (!body) return undefined
  const summary = oneLine(body.description ?? body.message ?? '')
  return { code: body.code, message: summary || (MESSAGES[body.code] ?? `It answered ${status}.`) }
}

/** Returns why a read failed. */
export function unavailable(reply: Reply): Unavailable {
  return { kind: 'unavailable', reason: described(reply), retryAfter: waitOf(reply), why: reasonWhy(reply) }
}

/** Returns the failure for an invalid answer: other subscriptions may be readable. */
export function nonsense(): Unavailable {
  const reason = 'The answer from Microsoft could not be understood.'
  return { kind: 'unavailable', reason, others: 'answer' }
}

/** Returns the failure for an answer about another resource, which must not be accepted. */
export function mixedUp(): Unavailable {
  const reason = 'Microsoft answered about another subscription, product or customer than was asked for.'
  return { kind: 'unavailable', reason, others: 'answer' }
}

/** Returns whether Microsoft itself reports that the resource does not exist: with a code, which no proxy sends. */
export function isMissing(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === 404 && vendorErrorOf(reply) !== undefined
}

/** Returns `missing` if the customer does not grant access (any more). */
export function closed(reply: Reply): VendorRead | undefined {
  if (reply.kind !== 'answer' || reply.status !== 403) return undefined
  const failure = writeFailure(reply)
  const isClosed = failure !== 'stale' && failure.kind === 'rejected'
  return isClosed ? { kind: 'missing', reason: failure.reason } : undefined
}

/**
 * Returns the meaning of a failed write; `stale` if the subscription has changed since it was read, and nothing was
 * done.
 */
export function writeFailure(reply: Reply): Exclude<WriteAnswer, { kind: 'applied' }> | 'stale' {
  const [retryAfter, why] = [waitOf(reply), reasonWhy(reply)]
  const notLetIn = { kind: 'not_sent', code: 'vendor_unavailable', retryAfter, why } as const
  if (reply.kind === 'unsent') return { ...notLetIn, reason: described(reply) }
  const vendorRequestId = reply.correlationId
  if (reply.kind === 'cut') return { kind: 'unknown', reason: described(reply), vendorRequestId }
  const vendorError = vendorErrorOf(reply)
  const reason = sentence(reply, vendorError)
  switch (meaning(reply.status, vendorError?.code)) {
    case 'stale':
      return 'stale'
    case 'pending': {
      const wait = retryAfter ?? WAITS[vendorError?.code ?? ''] ?? DEFAULT_WAIT_SECONDS
      return { kind: 'not_sent', code: 'change_in_progress', reason, retryAfter: wait }
    }
    case 'not_let_in':
      return { ...notLetIn, reason }
    case 'unknown':
      return { kind: 'unknown', reason: described(reply), vendorRequestId }
    case 'inactive':
      return { kind: 'rejected', code: 'subscription_not_active', reason, vendorRequestId }
    case 'refused':
      return { kind: 'rejected', code: 'vendor_rejected', reason, vendorRequestId }
  }
}

function meaning(status: number, code: string | undefined) {
  // Only a 4xx proves that nothing was done.
  if (status < 400 || status >= 500 || status === 408) return 'unknown'
  const codeMeaning = code === undefined ? undefined : CODES[code]
  if (codeMeaning) return codeMeaning
  if (status === 409) return 'pending'
  if (status === 412) return 'stale'
  if (status === 401 || status === 429) return 'not_let_in'
  // Partner Center refuses with a code; without one, a proxy refused, or found nothing.
  if (code === undefined) return status === 404 ? 'unknown' : 'not_let_in'
  return 'refused'
}

function waitOf(reply: Reply): number | undefined {
  if (reply.kind === 'answer') return retryAfterOf(reply.headers)
  return reply.kind === 'unsent' ? reply.retryAfter : undefined
}

function reasonWhy(reply: Reply): Why | undefined {
  const code = reply.kind === 'answer' ? vendorErrorOf(reply)?.code : undefined
  return whyOf(reply, CODES[code ?? ''] === 'not_let_in' ? 'no_access' : undefined)
}

function described(reply: Reply): string {
  if (reply.kind === 'unsent') return `Microsoft could not be asked: ${reply.reason}.`
  if (reply.kind === 'cut') return `Microsoft was asked, but gave no answer: ${reply.reason}.`
  return `Microsoft answered ${reply.status}: ${sentence(reply, vendorErrorOf(reply))}`
}

function sentence({ status }: Answer, vendorError: VendorError | undefined): string {
  return vendorError ? `${vendorError.message} (${vendorError.code})` : `It answered ${status}.`
}
