import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { perDatabase } from '#lib/platform/db/per-database.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { log, reasonOf, requestContext } from '#lib/platform/runtime/log.ts'
import { type AuditEvent, actorOf, recordAudit } from './audit.ts'

/** What was called: its name, and the path as it was sent; a page by its title alone. */
type Called = { call: string; path: string }

/** As much of a path or query as the history keeps. */
const MAX_TEXT_LENGTH = 500

/**
 * Writes down that a file leaves, before its first byte.
 * @throws Error where that can't be kept: then it does not begin
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

/** Writes down that a caller whom we know was refused (403). Never throws. */
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

/** Writes down that a caller whom we know was over a limit (429), named as the answer names it. Never throws. */
export function auditThrottled(caller: Caller, limit: string): Promise<void> {
  const requestId = requestContext()?.requestId ?? randomUUID()
  const event = { action: 'access.throttled', subject: limit, actor: actorOf(caller), requestId }
  return recordRejection(caller.customerId, event)
}

/** Records what no change stands beside, such as an export: it is kept when this returns. */
function recordStandalone(customerId: CustomerId, event: AuditEvent): Promise<void> {
  return scope({ customerId }, (tx) => recordAudit(tx, customerId, event), { evenIfClosed: true })
}

/**
 * Records that something was refused. Never throws: it is refused either way, and the log tells of an event that could
 * not be kept. The same refusal again within a minute adds nothing, so that no loop of a client fills the history.
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
/** Refusals of the last minute, and until when an equal one is the same, the oldest first. */
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

/** Why somebody whom nobody knows was refused. */
export type AnonymousRejection = 'unknown-key' | 'unknown-account' | 'throttled'

// A page and a route handler get separate copies of this module in a production build.
const slot = globalThis as typeof globalThis & {
  licensesInvoicesAnonymousRejections?: Map<AnonymousRejection, number>
}
slot.licensesInvoicesAnonymousRejections ??= new Map()
const counts = slot.licensesInvoicesAnonymousRejections

/** Counts a refusal that concerns no customer. It costs no row and no statement, however many come. */
export function countAnonymousRejection(kind: AnonymousRejection): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
}

/** What was counted since it was taken last. */
export function drainAnonymousRejections(): [kind: AnonymousRejection, count: number][] {
  const drained = [...counts]
  counts.clear()
  return drained
}

/** Puts back what could not be kept. */
export function restoreAnonymousRejections(
  drained: readonly (readonly [AnonymousRejection, number])[],
): void {
  for (const [kind, count] of drained) counts.set(kind, (counts.get(kind) ?? 0) + count)
}
