import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { recordCorrected } from '#lib/platform/outbox/events.ts'
import { assertAllWritten } from '../all-rows.ts'
import { type ImportProblem, MAX_PROBLEMS, problemText } from '../import-error.ts'
import type { StoredInvoice } from './stored.ts'

/** An invoice as it was before an import changed it; without its lines where these stayed. */
export type Before = Omit<StoredInvoice, 'lines'> & Partial<Pick<StoredInvoice, 'lines'>>

/** Saves the previous state of invoices that an import changes, so that the import can be undone. */
export function changesOf(tx: Transaction, customerId: CustomerId, importId: string | undefined) {
  let position = 0
  return {
    async store(changed: readonly Before[]): Promise<void> {
      if (importId === undefined || changed.length === 0) return
      const rows = changed.map((before) => ({ position: position++, invoiceId: before.id, before }))
      const result = await tx.execute(sql`
        INSERT INTO import_changes (customer_id, import_id, position, invoice_id, before)
        SELECT own.customer_id, own.id, r.*
        FROM imports AS own, json_to_recordset(${JSON.stringify(rows)}::json)
          AS r(position int, "invoiceId" text, before jsonb)
        WHERE own.customer_id = ${customerId} AND own.id = ${importId}`)
      assertAllWritten(result, rows.length)
    },
  }
}

/** Writes into the history that an issued invoice was voided, and why. */
export async function recordVoided(
  tx: Transaction,
  customerId: CustomerId,
  {
    invoice,
    replacedBy,
    problems = [],
  }: {
    invoice: Pick<StoredInvoice, 'id' | 'billingProfileId'>
    replacedBy?: string
    problems?: ImportProblem[]
  },
  requestId: string,
) {
  recordCorrected(tx, customerId, invoice, replacedBy)
  const event = { action: 'invoice.voided', subject: invoice.id, actor: OPERATOR, requestId }
  const changes = problems.slice(0, MAX_PROBLEMS).map(problemText)
  await recordAudit(tx, customerId, {
    ...event,
    details: { ...(replacedBy ? { replacedBy } : {}), ...(changes.length > 0 ? { changes } : {}) },
  })
}

/** Records in the history that an operator declared two names to be one issuer, or two. */
export async function recordIssuers(
  tx: Transaction,
  customerId: CustomerId,
  { name, issuer, isSame }: { name: string; issuer: string; isSame: boolean },
  requestId: string,
) {
  const action = isSame ? 'issuer.same' : 'issuer.another'
  await recordAudit(tx, customerId, {
    ...{ action, subject: name, actor: OPERATOR, requestId },
    details: { issuer },
  })
}

/** Records the merge in the histories of both invoices, with the remaining balance. */
export async function recordMerged(
  tx: Transaction,
  customerId: CustomerId,
  { target, duplicate, balance }: { target: Before; duplicate: Before; balance: string },
  requestId: string,
) {
  const event = { action: 'invoice.merged', actor: OPERATOR, requestId }
  await recordAudit(tx, customerId, { ...event, subject: duplicate.id, details: { into: target.id } })
  const details = { from: duplicate.id, balance, before: target.balanceAmount }
  await recordAudit(tx, customerId, { ...event, subject: target.id, details })
}
