import 'server-only'
import { errorCode, Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { type AuditEvent, actorOf, recordAudit } from '#lib/platform/history/audit.ts'

/** So many providers a customer may have, and so many domains. */
const MOST = 100

/** @throws Problem `invalid_request` where there are as many as there may be */
export function checkRoom(all: readonly unknown[]): void {
  if (all.length >= MOST)
    throw new Problem('invalid_request', `There are ${MOST} already, and no room for more.`)
}

/** For `catch`: what it means that there is one already. */
export function duplicate(code: 'provider_exists' | 'domain_taken', detail: string) {
  return (error: unknown): never => {
    throw errorCode(error) === '23505' ? new Problem(code, detail) : error
  }
}

/** Records what the caller has done. */
export function tell(tx: Transaction, caller: Caller, event: Omit<AuditEvent, 'actor'>): Promise<void> {
  return recordAudit(tx, caller.customerId, { ...event, actor: actorOf(caller) })
}
