import 'server-only'
import { z } from 'zod'
import { oneLine } from '#lib/platform/values/text.ts'
import { jsonOf, type Reply, retryAfterOf, whyOf } from '../client.ts'
import type { Unavailable, WriteAnswer } from '../vendor.ts'

const ErrorBody = z.object({ no: z.string() })

/**
 * Returns whether Paperclip itself reports that the subscription does not exist; a proxy's 404 lacks its error format.
 */
export function isMissing(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === 404 && ErrorBody.safeParse(jsonOf(reply.text)).success
}

/** Returns why a read failed. */
export function unavailable(reply: Reply): Unavailable {
  const wait = reply.kind === 'unsent' ? reply.retryAfter : undefined
  const retryAfter = reply.kind === 'answer' ? retryAfterOf(reply.headers) : wait
  return { kind: 'unavailable', reason: described(reply), retryAfter, why: whyOf(reply, undefined) }
}

/** Returns the meaning of a failed write. */
export function writeFailure(reply: Reply): WriteAnswer {
  const { reason, retryAfter, why } = unavailable(reply)
  if (reply.kind === 'unsent' || (reply.kind === 'answer' && [401, 429].includes(reply.status))) {
    return { kind: 'not_sent', code: 'vendor_unavailable', reason, retryAfter, why }
  }
  const isRejected = reply.kind === 'answer' && reply.status >= 400 && reply.status < 500
  return isRejected ? { kind: 'rejected', code: 'vendor_rejected', reason } : { kind: 'unknown', reason }
}

function described(reply: Reply): string {
  if (reply.kind !== 'answer') return `Paperclip gave no answer: ${reply.reason}.`
  const body = ErrorBody.safeParse(jsonOf(reply.text)).data
  return body ? `Paperclip says: ${oneLine(body.no)}.` : `Paperclip answered ${reply.status}.`
}
