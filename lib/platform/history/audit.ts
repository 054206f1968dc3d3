import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { auditEvents } from '#lib/platform/db/schema/history.ts'
import { leaveToTheEnd } from '#lib/platform/db/statements.ts'
import { visit } from '#lib/platform/runtime/log.ts'
import { type Addition, appending } from './append.ts'

/** Who did it, as history shows them: a copy, so that a later change of name rewrites nothing. */
export type Actor = {
  kind: 'key' | 'member' | 'operator' | 'recipient' | 'scim' | 'stranger' | 'vendor'
  id: string
  name: string
}

/** The command line acts under this name. */
export const OPERATOR: Actor = { kind: 'operator', id: 'operator', name: 'Operator' }

/** Who tries to sign in, before it is known who it is. */
export const STRANGER: Actor = { kind: 'stranger', id: 'stranger', name: 'Somebody' }

const KINDS = { key: 'key', session: 'member', scim: 'scim', operator: 'operator' } as const

export function actorOf(caller: Caller): Actor {
  return { kind: KINDS[caller.via], id: caller.id, name: caller.name }
}

export type AuditEvent = {
  /** What happened, as `<thing>.<past verb>`. */
  action: string
  /** Id of the thing that it happened to. */
  subject: string
  actor: Actor
  requestId: string
  details?: Record<string, string | number | string[] | null | undefined>
  /** When it happened, where that is not now: in the invented history of the demo. */
  at?: Date
}

/**
 * Adds a row to the append-only history, in the transaction of what it tells of and as its last words: the head of the
 * customer's chain is locked after everything else. Our role has INSERT and SELECT there and nothing else.
 */
export async function recordAudit(tx: Transaction, customerId: CustomerId, event: AuditEvent): Promise<void> {
  const { action, subject, actor, requestId, details = {}, at } = event
  const entry = {
    customerId,
    action,
    subject: whole(subject),
    actorKind: actor.kind,
    actorId: whole(actor.id),
    actorName: whole(actor.name),
    requestId,
    ...whereFrom(actor),
    details: JSON.parse(
      JSON.stringify(details, (_, value) => (typeof value === 'string' ? whole(value) : value)),
    ),
  }
  addToTheEnd(tx, at ? { entry, at } : { entry })
}

/** What a transaction adds so far: it is said together, for each is a row of the same chain. */
const added = new WeakMap<Transaction, Addition[]>()

function addToTheEnd(tx: Transaction, addition: Addition): void {
  const before = added.get(tx)
  if (before) return void before.push(addition)
  const additions = [addition]
  added.set(tx, additions)
  leaveToTheEnd(tx, () => {
    // What comes after belongs to another customer of the same transaction.
    added.delete(tx)
    return appending(additions)
  })
}

/**
 * Address and browser are those of the actor. Where a request of somebody else, or a job, learns what became of what
 * the actor asked for, there are none.
 */
function whereFrom({ kind, id }: Actor) {
  const here = visit()
  if (!here || (kind !== 'stranger' && here.callerId !== id))
    return { session: null, address: null, agent: null }
  const { session = null, address, agent } = here
  return {
    session: kind === 'stranger' ? null : session,
    address,
    agent: agent === null ? null : whole(agent),
  }
}

/** Text as PostgreSQL keeps it: half a character would come back as another one, and its digest would not fit. */
function whole(text: string): string {
  return text.toWellFormed()
}

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
