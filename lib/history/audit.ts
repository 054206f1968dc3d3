import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { Caller, CustomerId } from '#lib/access/rules.ts'
import { builtOnce, value } from '#lib/db/built.ts'
import type { Transaction } from '#lib/db/client.ts'
import { auditEvents } from '#lib/db/schema/history.ts'

/** Who did it, as history shows them: a copy, so that a later change of name rewrites nothing. */
export type Actor = { kind: 'key' | 'member' | 'operator' | 'recipient' | 'vendor'; id: string; name: string }

/** The command line acts under this name. */
export const OPERATOR: Actor = { kind: 'operator', id: 'operator', name: 'Operator' }

const KINDS = { key: 'key', session: 'member', operator: 'operator' } as const

export function actorOf(caller: Caller): Actor {
  return { kind: KINDS[caller.via], id: caller.id, name: caller.name }
}

type AuditEvent = {
  /** What happened, as `<thing>.<past verb>`. */
  action: string
  /** Id of the thing that it happened to. */
  subject: string
  actor: Actor
  requestId: string
  details?: Record<string, string | number | string[] | null>
}

/**
 * Adds a row to the append-only history, in the transaction of what it tells of. The migration `walls` grants our role
 * INSERT and SELECT here and nothing else.
 */
export async function recordAudit(tx: Transaction, customerId: CustomerId, event: AuditEvent): Promise<void> {
  const { action, subject, actor, requestId, details = {} } = event
  const { kind, id, name } = actor
  await added(tx, { customerId, action, subject, requestId, details, kind, id, name })
}

const added = builtOnce<unknown>((tx) =>
  tx.insert(auditEvents).values({
    customerId: value('customerId'),
    action: value('action'),
    subject: value('subject'),
    requestId: value('requestId'),
    details: value('details'),
    actorKind: value('kind'),
    actorId: value('id'),
    actorName: value('name'),
  }),
)

/** What happened to a thing, the first first; with the reason, where one was given. */
export async function auditOf(tx: Transaction, customerId: CustomerId, subject: string) {
  const { at, action, actorName, requestId, details, id } = auditEvents
  const reason = sql<string | null>`${details} ->> 'reason'`
  return tx
    .select({ at, action, actorName, requestId, reason })
    .from(auditEvents)
    .where(and(eq(auditEvents.customerId, customerId), eq(auditEvents.subject, subject)))
    .orderBy(id)
}
