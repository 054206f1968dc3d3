import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { type AuditEvent, OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'

/** Writes into the history what an import does to a customer, in the transaction that does it. */
export type Told = (action: string, subject: string, details?: AuditEvent['details']) => Promise<void>

/** All that one transaction tells is of one request. */
export function telling(tx: Transaction, customerId: CustomerId, requestId: string): Told {
  return (action, subject, details = {}) =>
    recordAudit(tx, customerId, { action, subject, details, actor: OPERATOR, requestId })
}
