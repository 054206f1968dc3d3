import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { perDatabase } from '#lib/platform/db/per-database.ts'
import { scope } from '#lib/platform/db/scope.ts'
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
 * Records a refusal. Never throws: the request is refused either way, and an unrecorded event is logged. A repeated
 * refusal within a minute is not recorded, so that a client in a loop can't fill the history.
 */
export async function recordRejection(customerId: CustomerId, event: AuditEvent): Promise<void> {
  const { action, subject, actor, requestId } = event
  if (!isFirst(JSON.stringify([customerId, action, subject, actor.kind, actor.id]))) return
  await recordStandalone(customerId, event).catch((error: unknown) => {
    log().warn(
      { requestId, action, reason: reasonOf(error).slice(0, 300) },
      'a refusal is not in the history',
    )
  })
}

const MINUTE = 60_000
const MAX_RECENT_REJECTIONS = 10_000
/** Expiry of recent refusals, within which an equal one is not recorded again; the oldest first. */
const recentRejections = perDatabase(() => new Map<string, number>())

function isFirst(what: string): boolean {
  const now = Date.now()
  const lately = recentRejections()
  if ((lately.get(what) ?? 0) > now) return false
  lately.delete(what)
  lately.set(what, now + MINUTE)
  const oldest = lately.keys().next().value
  if (lately.size > MAX_RECENT_REJECTIONS && oldest !== undefined) lately.delete(oldest)
  return true
}

/** Reason for the refusal of an unauthenticated request. */
export type AnonymousRejection = 'unknown-key' | 'unknown-account' | 'throttled'

// In a production build a page and a route handler have separate copies of this module.
const slot = globalThis as typeof globalThis & {
  licensesInvoicesAnonymousRejections?: Map<AnonymousRejection, number>
}
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
