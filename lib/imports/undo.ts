import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { sumsOfMany } from '#lib/billing/invoices/sums/verify-totals.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type CustomerId, ROLES_WITH } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { planAgain, planForAnyCustomer, withoutLoops } from '#lib/platform/db/plans.ts'
import { today } from '#lib/platform/db/schema/columns.ts'
import { imports } from '#lib/platform/db/schema/imports.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { recordCorrected } from '#lib/platform/outbox/events.ts'
import { undoCharges } from './charges/store.ts'
import type { Before } from './invoices/changes.ts'
import { overwriteInvoiceRows, overwriteInvoices } from './invoices/rows.ts'

/** Numbers of invoices that were deleted, voided because the customer may have seen them, and restored. */
export type Undone = {
  removed: number
  voided: number
  restored: number
  /** Number of invoices whose charges were removed; absent if none. */
  charged?: number
  /** Issuers whose address or bank the import set: these stay, because they may be true all the same. */
  issuers: string[]
}

/**
 * Undoes an import of invoices: changed invoices are restored, and added ones are deleted, or voided where the customer
 * may have seen them. The caller holds the lock of the customer's imports.
 * @throws Problem where the import does not exist, was undone, contained assets, or a later change depends on it
 */
export async function undoImport(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  requestId: string = randomUUID(),
): Promise<Undone> {
  const lockedImport = await lockImport(tx, customerId, id)
  if (!lockedImport) throw new Problem('not_found', `There is no import "${id}" of this customer.`)
  if (lockedImport.undoneAt) throw new Problem('invalid_request', `The import ${id} was undone already.`)
  if (lockedImport.kind === 'assets')
    throw new Problem(
      'invalid_request',
      'An import of assets cannot be undone: their licenses are not ours to take back.',
    )
  const dependents = await withoutLoops(tx, () => findDependents(tx, customerId, lockedImport))
  if (dependents.length > 0) throw new Problem('invalid_request', builtOn(id, dependents))

  await planForAnyCustomer(tx)
  const charged = await undoCharges(tx, customerId, id)
  const isSeen = await mayHaveSeen(tx, customerId, lockedImport)
  // First, for of those that are not voided only one may have a number.
  const added = await voidAdded(tx, customerId, id)
  const restored = await restore(tx, customerId, id)
  if (!isSeen) await dropAdded(tx, customerId, id)
  await setUndone(tx, customerId, id)
  const counts = {
    ...{ removed: isSeen ? 0 : added, voided: isSeen ? added : 0, restored },
    ...(charged > 0 ? { charged } : {}),
  }
  const event = { action: 'import.undone', subject: id, actor: OPERATOR, requestId }
  await recordAudit(tx, customerId, { ...event, details: counts })
  return { ...counts, issuers: await listIssuersSet(tx, customerId, id) }
}

/** Restores the changed invoices, last change first, so that the first state prevails. */
async function restore(tx: Transaction, customerId: CustomerId, id: string): Promise<number> {
  let restored = 0
  const sums = sumsOfMany(tx, customerId)
  for await (const before of listBefore(tx, customerId, id)) {
    await sums.next()
    await planAgain(tx)
    const whole = before.flatMap(({ lines, ...invoice }) => (lines ? [{ ...invoice, lines }] : []))
    await overwriteInvoiceRows(
      tx,
      customerId,
      before.filter(({ lines }) => !lines),
    )
    await overwriteInvoices(tx, customerId, whole)
    restored += before.length
  }
  await sums.end()
  return restored
}

function builtOn(id: string, dependents: Awaited<ReturnType<typeof findDependents>>): string {
  const texts = dependents.map(({ invoice, how }) => `invoice ${invoice} ${how}`)
  return [`Something later builds on the import ${id}, so it is not undone:`, ...texts].join('\n  ')
}

/** An import of a customer, as far as undoing it asks. */
type ImportRow = { id: string; kind: string; createdAt: Date; undoneAt: Date | null }

const PORTION = 500

/** An import, locked until the transaction ends. */
async function lockImport(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<ImportRow | undefined> {
  const { kind, createdAt, undoneAt } = imports
  const rows = await tx
    .select({ id: imports.id, kind, createdAt, undoneAt })
    .from(imports)
    .where(and(eq(imports.customerId, customerId), eq(imports.id, id)))
    .for('update')
  return rows[0]
}

/** Yields the previous states of the invoices that an import changed: in portions, last first. */
async function* listBefore(tx: Transaction, customerId: CustomerId, id: string): AsyncGenerator<Before[]> {
  for (let below = 2 ** 31 - 1; ; ) {
    const { rows } = await tx.execute<{ position: number; before: Before }>(sql`
      SELECT position, before FROM import_changes
      WHERE customer_id = ${customerId} AND import_id = ${id} AND position < ${below}
      ORDER BY position DESC LIMIT ${PORTION}`)
    if (rows.length > 0) yield rows.map(({ before }) => before)
    const last = rows.at(-1)
    if (!last || rows.length < PORTION) return
    below = last.position
  }
}

/** Voids the invoices that an import added. @returns their number */
async function voidAdded(tx: Transaction, customerId: CustomerId, id: string): Promise<number> {
  const { rows: issued } = await tx.execute<{ id: string; billingProfileId: string }>(sql`
    SELECT id, billing_profile_id AS "billingProfileId" FROM invoices
    WHERE customer_id = ${customerId} AND import_id = ${id} AND document_state = 'issued'`)
  for (const invoice of issued) recordCorrected(tx, customerId, invoice)
  // Two statements: Citus takes no now() in a CASE.
  const { rowCount: others } = await tx.execute(sql`
    UPDATE invoices SET document_state = 'voided', balance_amount = 0
    WHERE customer_id = ${customerId} AND import_id = ${id} AND document_state <> 'issued'`)
  const { rowCount } = await tx.execute(sql`
    UPDATE invoices SET document_state = 'voided', balance_amount = 0, voided_on = ${today}
    WHERE customer_id = ${customerId} AND import_id = ${id} AND document_state = 'issued'`)
  return (others ?? 0) + (rowCount ?? 0)
}

/** Deletes the invoices that an import added; no row may refer to them any more. */
async function dropAdded(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  // The keys that refer to invoices are followed by plans of the rows that there are now.
  await planAgain(tx)
  // An invoice of the same import may refer to its replacement.
  await tx.execute(sql`
    UPDATE invoices SET replaced_by = NULL
    WHERE customer_id = ${customerId} AND import_id = ${id} AND replaced_by IS NOT NULL`)
  await tx.execute(sql`DELETE FROM invoices WHERE customer_id = ${customerId} AND import_id = ${id}`)
}

async function setUndone(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  await tx
    .update(imports)
    .set({ undoneAt: sql`statement_timestamp()` })
    .where(and(eq(imports.customerId, customerId), eq(imports.id, id)))
}

/** Lists the issuers whose address or bank an import set, from the customer's history. */
async function listIssuersSet(tx: Transaction, customerId: CustomerId, id: string): Promise<string[]> {
  const { rows } = await tx.execute<{ name: string }>(sql`
    SELECT DISTINCT s.subject AS name FROM audit_events i
    JOIN audit_events s ON s.customer_id = ${customerId} AND s.request_id = i.request_id
      AND s.action = 'issuer.set'
    WHERE i.customer_id = ${customerId} AND i.action = 'invoices.imported' AND i.details ->> 'import' = ${id}
    ORDER BY 1`)
  return rows.map(({ name }) => name)
}

const MAX_REPORTED = 20

/** Finds later changes that prevent the undo of an import; up to 20. */
async function findDependents(
  tx: Transaction,
  customerId: CustomerId,
  { id, createdAt }: Pick<ImportRow, 'id' | 'createdAt'>,
): Promise<{ invoice: string; how: string }[]> {
  const isNewer = sql`l.created_at > ${createdAt.toISOString()}::timestamptz`
  // Invoices that this import voided, which are owed again once restored.
  const comesBack = sql`
    FROM import_changes c
    JOIN invoices i ON i.customer_id = ${customerId} AND i.id = c.invoice_id AND i.document_state = 'voided'
    JOIN invoices n ON n.customer_id = ${customerId} AND n.issuer = i.issuer AND n.document_state <> 'voided'
    JOIN imports l ON l.customer_id = ${customerId} AND l.id = n.import_id AND l.id <> ${id}
    WHERE c.customer_id = ${customerId} AND c.import_id = ${id} AND ${isNewer}`
  const { rows } = await tx.execute<{ invoice: string; how: string }>(sql`
    WITH own AS (
      SELECT id, issuer, number FROM invoices WHERE customer_id = ${customerId} AND import_id = ${id}
      UNION
      SELECT i.id, i.issuer, i.number FROM import_changes c
      JOIN invoices i ON i.customer_id = ${customerId} AND i.id = c.invoice_id
      WHERE c.customer_id = ${customerId} AND c.import_id = ${id})
    SELECT own.id AS invoice, 'was changed by the import ' || l.id AS how
    FROM own
    JOIN import_changes c ON c.customer_id = ${customerId} AND c.invoice_id = own.id AND c.import_id <> ${id}
    JOIN imports l ON l.customer_id = ${customerId} AND l.id = c.import_id AND l.undone_at IS NULL
    WHERE ${isNewer}
    UNION
    SELECT own.id, 'is corrected or credited by ' || n.id
    FROM own
    JOIN invoices n ON n.customer_id = ${customerId} AND n.issuer = own.issuer AND n.corrects = own.number
      AND n.document_state <> 'voided' AND n.import_id IS DISTINCT FROM ${id}
    JOIN imports l ON l.customer_id = ${customerId} AND l.id = n.import_id
    WHERE ${isNewer}
    UNION
    SELECT c.invoice_id, 'was superseded by the import ' || l.id
    FROM import_changes c
    JOIN imports l ON l.customer_id = ${customerId} AND l.id = c.import_id AND l.undone_at IS NULL
    LEFT JOIN invoices i ON i.customer_id = ${customerId} AND i.id = c.invoice_id
    WHERE c.customer_id = ${customerId} AND c.before ->> 'importId' = ${id} AND c.import_id <> ${id} AND i.id IS NULL
      AND ${isNewer}
    UNION
    SELECT i.id, 'came again by the import ' || l.id
    FROM import_changes c
    JOIN invoices i ON i.customer_id = ${customerId} AND i.id = c.invoice_id
    JOIN imports l ON l.customer_id = ${customerId} AND l.id = i.import_id AND l.id <> ${id}
    WHERE c.customer_id = ${customerId} AND c.import_id = ${id} AND ${isNewer}
      AND i.import_id IS DISTINCT FROM c.before ->> 'importId'
    UNION
    SELECT own.id, 'was merged with another one'
    FROM own
    JOIN audit_events e ON e.customer_id = ${customerId} AND e.action = 'invoice.merged' AND e.subject = own.id
    WHERE e.at > ${createdAt.toISOString()}::timestamptz
    UNION
    SELECT own.id, 'has the payment ' || p.reference || ', or its reversal, since'
    FROM own
    JOIN payment_entries e ON e.customer_id = ${customerId} AND e.invoice_id = own.id AND e.created_at > ${createdAt.toISOString()}::timestamptz
    JOIN payments p ON p.customer_id = ${customerId} AND p.id = e.payment_id AND p.kind NOT IN ('reported', 'opening')
    GROUP BY own.id, p.reference HAVING sum(e.amount) <> 0
    UNION
    SELECT i.id, 'has the number of ' || n.id || ', which came since' ${comesBack}
      AND n.number = i.number AND c.before ->> 'documentState' <> 'voided'
    UNION
    SELECT i.id, 'is of the period that ' || n.id || ' bills since' ${comesBack}
      AND n.billing_account = i.billing_account AND n.period_start = i.period_start
      AND n.period_end = i.period_end AND n.is_numbered <> i.is_numbered AND n.currency = i.currency
      AND n.document_state = 'issued' AND c.before ->> 'documentState' = 'issued'
    UNION
    SELECT s.number, 'has charges of the import ' || s.replaced_by || ', which came since'
    FROM charge_sets s
    WHERE s.customer_id = ${customerId} AND s.import_id = ${id} AND s.replaced_by IS NOT NULL
    UNION
    SELECT i.id, 'was issued by it, and its document is kept since'
    FROM import_changes c
    JOIN invoices i ON i.customer_id = ${customerId} AND i.id = c.invoice_id AND i.document_state = 'issued'
    JOIN invoice_files f ON f.customer_id = ${customerId} AND f.invoice_id = i.id
    WHERE c.customer_id = ${customerId} AND c.import_id = ${id} AND c.before ->> 'documentState' = 'draft'
    ORDER BY 1, 2 LIMIT ${MAX_REPORTED}`)
  return rows
}

/**
 * Returns whether the customer may have seen the invoices of an import: a key or session that may read one of them was
 * used since, a session in use has ended since, a mail named one, a payment settled one, or the issuer's own document was
 * attached. Uses are
 * recorded once a minute, so the minute before counts. Two queries, because a distributed database holds callers and
 * invoices on different machines.
 */
async function mayHaveSeen(
  tx: Transaction,
  customerId: CustomerId,
  { id, createdAt }: { id: string; createdAt: Date },
): Promise<boolean> {
  const since = sql`(${createdAt.toISOString()}::timestamptz - interval '1 minute')`
  const brought = await tx.execute<{ id: string }>(sql`
    SELECT DISTINCT billing_profile_id AS id FROM invoices WHERE customer_id = ${customerId} AND import_id = ${id}`)
  const profiles = sql.param(brought.rows.map((row) => row.id))
  const roles = sql.param([...ROLES_WITH['invoice-viewer']])
  const mayRead = sql`roles && ${roles}::text[] AND (billing_profiles IS NULL OR billing_profiles && ${profiles}::text[])`
  const used = await tx.execute<{ seen: boolean }>(sql`
    SELECT EXISTS (
        SELECT FROM sessions s WHERE s.customer_id = ${customerId} AND s.last_seen_at >= ${since}
          AND EXISTS (SELECT FROM members m WHERE m.customer_id = ${customerId} AND m.id = s.member_id AND ${mayRead}))
      OR EXISTS (SELECT FROM members WHERE customer_id = ${customerId} AND last_seen_at >= ${since} AND ${mayRead})
      OR EXISTS (SELECT FROM api_keys WHERE customer_id = ${customerId} AND last_used_at >= ${since} AND ${mayRead}) AS seen`)
  if (used.rows[0]?.seen ?? true) return true
  const { rows } = await tx.execute<{ seen: boolean }>(sql`
    SELECT EXISTS (
        SELECT FROM invoices i JOIN notices n ON n.customer_id = ${customerId} AND n.invoice_id = i.id
        WHERE i.customer_id = ${customerId} AND i.import_id = ${id})
      OR EXISTS (
        SELECT FROM invoices i JOIN payment_entries e ON e.customer_id = ${customerId} AND e.invoice_id = i.id
        JOIN payments p ON p.customer_id = ${customerId} AND p.id = e.payment_id AND p.kind NOT IN ('reported', 'opening')
        WHERE i.customer_id = ${customerId} AND i.import_id = ${id})
      OR EXISTS (
        SELECT FROM invoices i JOIN invoice_files f ON f.customer_id = ${customerId} AND f.invoice_id = i.id
        WHERE i.customer_id = ${customerId} AND i.import_id = ${id}) AS seen`)
  return rows[0]?.seen ?? true
}
