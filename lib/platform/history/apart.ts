import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { perDatabase } from '#lib/platform/db/per-database.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { type AuditEvent, recordAudit } from './audit.ts'

/** Records what no change stands beside, such as an export: it is kept when this returns. */
export function recordApart(customerId: CustomerId, event: AuditEvent): Promise<void> {
  return scope({ customerId }, (tx) => recordAudit(tx, customerId, event), { evenIfClosed: true })
}

/**
 * Records that something was refused. Never throws: it is refused either way, and the log tells of an event that could
 * not be kept. The same refusal again within a minute adds nothing, so that no loop of a client fills the history.
 */
export async function recordRefusal(customerId: CustomerId, event: AuditEvent): Promise<void> {
  const { action, subject, actor, requestId } = event
  if (!isFirst(JSON.stringify([customerId, action, subject, actor.kind, actor.id]))) return
  await recordApart(customerId, event).catch((error: unknown) => {
    log().warn(
      { requestId, action, reason: reasonOf(error).slice(0, 300) },
      'a refusal is not in the history',
    )
  })
}

const MINUTE = 60_000
const MOST_KNOWN = 10_000
/** Refusals of the last minute, and until when an equal one is the same, the oldest first. */
const recentRefusals = perDatabase(() => new Map<string, number>())

function isFirst(what: string): boolean {
  const now = Date.now()
  const lately = recentRefusals()
  if ((lately.get(what) ?? 0) > now) return false
  lately.delete(what)
  lately.set(what, now + MINUTE)
  const oldest = lately.keys().next().value
  if (lately.size > MOST_KNOWN && oldest !== undefined) lately.delete(oldest)
  return true
}
