import 'server-only'
import { z } from 'zod'
import { retryAfterOf } from '../exchange.ts'
import type { Reading, Unavailable, WriteAnswer } from '../vendor.ts'
import type { Reply } from './client.ts'
import { jsonOf } from './json.ts'

/** What a code means for a write; see Partner Center's list of error codes. All others go by their status. */
const CODES: Record<string, 'stale' | 'inactive' | 'pending' | 'unknown' | 'not_let_in' | 'refused'> = {
  2055: 'stale', // the ETag
  2001: 'inactive',
  2011: 'inactive',
  800091: 'inactive',
  900278: 'pending',
  800094: 'unknown',
  // These tell of the application's rights, and nothing of the subscription.
  90000: 'not_let_in',
  900308: 'not_let_in',
  900309: 'not_let_in',
  900316: 'not_let_in',
  900329: 'not_let_in',
  900420: 'not_let_in',
}

/** It speaks of 24 hours; it may be over sooner. */
const PENDING_SECONDS = 600

/** Where Microsoft gives a code without words. */
const WORDS: Record<string, string> = {
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
const words = z.string().nullish().catch(undefined)
const Told = z.object({ code, description: words, message: words })
const Fault = z.union([Told, z.object({ error: Told }).transform(({ error }) => error)])

type Fault = { code: string | undefined; reason: string }

/** What a refusal says. The reason is one line, in Microsoft's words where it has some. */
function faultOf(status: number, text: string): Fault {
  const told = Fault.safeParse(jsonOf(text)).data
  const words = (told?.description ?? told?.message ?? '').replace(/[\p{C}\s]+/gu, ' ').trim()
  const said = words.slice(0, 300) || (told && WORDS[told.code]) || `It answered ${status}.`
  return { code: told?.code, reason: told ? `${said} (${told.code})` : said }
}

/** Why something could not be read. */
export function unavailable(reply: Reply): Unavailable {
  if (reply.kind === 'unsent') return { ...because(reply.reason), retryAfter: reply.retryAfter }
  if (reply.kind === 'cut') return because(reply.reason)
  const { reason } = faultOf(reply.status, reply.text)
  return {
    ...because(`it answered ${reply.status}: ${reason}`),
    retryAfter: retryAfterOf(reply.headers),
  }
}

/** A customer that does not let us in (any more): for us, it has no such subscription. */
export function closed(reply: Reply): Reading | undefined {
  if (reply.kind !== 'answer' || reply.status !== 403) return undefined
  const refused = refusal(reply)
  const isClosed = refused !== 'stale' && refused.kind === 'rejected'
  return isClosed ? { kind: 'missing', reason: refused.reason } : undefined
}

/** What an answer to a write means that was no success; `stale` where the subscription has changed since it was read. */
export function refusal(reply: Reply): WriteAnswer | 'stale' {
  if (reply.kind === 'unsent') {
    const { reason, retryAfter } = unavailable(reply)
    return { kind: 'not_sent', code: 'vendor_unavailable', reason, retryAfter }
  }
  const vendorRequestId = reply.correlationId
  if (reply.kind === 'cut') return { kind: 'unknown', reason: because(reply.reason).reason, vendorRequestId }
  const { status, headers, text } = reply
  const { code, reason } = faultOf(status, text)
  const notSent = { kind: 'not_sent', reason, retryAfter: retryAfterOf(headers) } as const
  switch (meaning(status, code)) {
    case 'stale':
      return 'stale'
    case 'pending':
      return { ...notSent, code: 'change_in_progress', retryAfter: notSent.retryAfter ?? PENDING_SECONDS }
    case 'not_let_in':
      return { ...notSent, code: 'vendor_unavailable' }
    case 'unknown':
      return { kind: 'unknown', reason: `Microsoft answered ${status}: ${reason}`, vendorRequestId }
    case 'inactive':
      return { kind: 'rejected', code: 'subscription_not_active', reason, vendorRequestId }
    case 'refused':
      return { kind: 'rejected', code: 'vendor_rejected', reason, vendorRequestId }
  }
}

function meaning(status: number, code: string | undefined) {
  // Only a 4xx says that nothing was done.
  if (status < 400 || status >= 500 || status === 408) return 'unknown'
  const known = code === undefined ? undefined : CODES[code]
  if (known) return known
  if (status === 409) return 'pending'
  if (status === 412) return 'stale'
  if (status === 401 || status === 429) return 'not_let_in'
  // A gateway refuses without a code; Partner Center's own 403 are refusals of this purchase, with one.
  return status === 403 && code === undefined ? 'not_let_in' : 'refused'
}

function because(reason: string): Unavailable {
  return { kind: 'unavailable', reason: `Microsoft could not be asked: ${reason}` }
}
