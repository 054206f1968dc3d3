import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { perDatabase, scope } from '#lib/platform/db/scope.ts'
import { log, reasonOf, requestContext } from '#lib/platform/runtime/log.ts'
import { type AuditEvent, actorOf, recordAudit } from './audit.ts'

/** Call by name, with its path as sent; a page by its title only. */
type Called = { call: string; path: string }

/** Longest path or query in the history, in characters. */
const MAX_TEXT_LENGTH = 500

/**
 * Records an export before its first byte.
 * @throws Error if it can't be recorded: the export then does not begin
 */
export function auditExport(
  caller: Caller,
  { call, path, query }: Called & { query: string },
  requestId: string,
): Promise<void> {
  const details = { call, query: query.slice(0, MAX_TEXT_LENGTH) || undefined }
  const subject = path.slice(0, MAX_TEXT_LENGTH)
  const event = { action: 'export.begun', subject, actor: actorOf(caller), requestId, details }
  return recordStandalone(caller.customerId, event)
}

/** Records that an authenticated caller was refused (403). Never throws. */
export function auditDenial(
  caller: Caller,
  {
    call,
    path,
    ...why
  }: Pick<Called, 'call'> & { path?: string; code: string; permission?: string | undefined },
  requestId: string,
): Promise<void> {
  const details = { path: path?.slice(0, MAX_TEXT_LENGTH), ...why }
  const event = { action: 'access.denied', subject: call, actor: actorOf(caller), requestId, details }
  return recordRejection(caller.customerId, event)
}

/** Records that an authenticated caller exceeded a limit (429), by the limit's name in the answer. Never throws. */
export function auditThrottled(caller: Caller, limit: string): Promise<void> {
  const requestId = requestContext()?.requestId ?? randomUUID()
  const event = { action: 'access.throttled', subject: limit, actor: actorOf(caller), requestId }
  return recordRejection(caller.customerId, event)
}

/** Records an event without a change of data, such as an export, in a transaction of its own. */
function recordStandalone(customerId: CustomerId, event: AuditEvent): Promise<void> {
  return scope({ customerId }, (tx) => recordAudit(tx, customerId, event), { evenIfClosed: true })
}

/**
 * Records a refusal. Never throws: the request is refused either way, and an unrecorded event is logged. Repetitions
 * within a minute are folded, so that a client in a loop can't fill the history: `recordRepetitions` records one event
 * with their number.
 */
export async function recordRejection(customerId: CustomerId, event: AuditEvent): Promise<void> {
  const { action, subject, actor } = event
  const name = JSON.stringify([customerId, action, subject, actor.kind, actor.id])
  const recent = recentRejections()
  const [now, before] = [Date.now(), recent.get(name)]
  if (before && before.expiresAt > now) return repeat(before, event, now)
  recent.delete(name)
  recent.set(name, {
    customerId,
    event,
    expiresAt: now + MINUTE,
    count: 0,
    since: now,
    until: now,
    reasons: new Set(),
  })
  const [oldest] = recent.size > MAX_RECENT_REJECTIONS ? recent : []
  if (oldest) recent.delete(oldest[0])
  for (const repeated of [before, oldest?.[1]]) if (repeated) await recordRepeated(repeated)
  await recordQuietly(customerId, event)
}

/**
 * Records the folded repetitions of past minutes: their number, the times of the first and the last, and their reasons.
 * Never throws.
 * @param isAll whether also those of the current minute, as at the end of the process
 */
export async function recordRepetitions({ isAll = false } = {}): Promise<void> {
  const recent = recentRejections()
  for (const [name, repeated] of recent) {
    if (!isAll && repeated.expiresAt > Date.now()) continue
    recent.delete(name)
    await recordRepeated(repeated)
  }
}

/** Recent refusal, with its folded repetitions. */
type Repeated = {
  customerId: CustomerId
  event: AuditEvent
  /** Times in milliseconds since 1970: the end of the minute, and the first and last repetition. */
  expiresAt: number
  since: number
  until: number
  /** Number of repetitions after the recorded event. */
  count: number
  reasons: Set<string>
}

/** Most distinct reasons of a folded event. */
const MAX_REASONS = 10

function repeat(repeated: Repeated, { details = {} }: AuditEvent, now: number): void {
  if (repeated.count === 0) repeated.since = now
  repeated.until = now
  repeated.count += 1
  const reason = details.reason ?? details.code ?? details.at
  if (typeof reason === 'string' && repeated.reasons.size < MAX_REASONS) repeated.reasons.add(reason)
}

async function recordRepeated({ customerId, event, count, since, until, reasons }: Repeated): Promise<void> {
  if (count === 0) return
  const times = { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
  const details = { ...event.details, count, ...times, reasons: reasons.size > 0 ? [...reasons] : undefined }
  await recordQuietly(customerId, { ...event, details })
}

async function recordQuietly(customerId: CustomerId, event: AuditEvent): Promise<void> {
  const { action, requestId } = event
  await recordStandalone(customerId, event).catch((error: unknown) => {
    log().warn(
      { requestId, action, reason: reasonOf(error).slice(0, 300) },
      'a refusal is not in the history',
    )
  })
}

const MINUTE = 60_000
const MAX_RECENT_REJECTIONS = 10_000

/** Reason for the refusal of an unauthenticated request. */
export type AnonymousRejection = 'unknown-key' | 'unknown-account' | 'throttled'

// In a production build a page and a route handler have separate copies of this module.
const slot = globalThis as typeof globalThis & {
  licensesInvoicesAnonymousRejections?: Map<AnonymousRejection, number>
  licensesInvoicesRecentRejections?: () => Map<string, Repeated>
}
/** Recent refusals, the oldest first. */
slot.licensesInvoicesRecentRejections ??= perDatabase(() => new Map<string, Repeated>())
const recentRejections = slot.licensesInvoicesRecentRejections
slot.licensesInvoicesAnonymousRejections ??= new Map()
const counts = slot.licensesInvoicesAnonymousRejections

/** Counts a refusal without a customer. Costs neither a row nor a statement, for any number of refusals. */
export function countAnonymousRejection(kind: AnonymousRejection): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
}

/** Returns and resets the counts since the last call. */
export function drainAnonymousRejections(): [kind: AnonymousRejection, count: number][] {
  const drained = [...counts]
  counts.clear()
  return drained
}

/** Adds counts back that could not be stored. */
export function restoreAnonymousRejections(
  drained: readonly (readonly [AnonymousRejection, number])[],
): void {
  for (const [kind, count] of drained) counts.set(kind, (counts.get(kind) ?? 0) + count)
}
