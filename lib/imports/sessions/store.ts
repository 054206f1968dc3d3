import 'server-only'
import { randomBytes } from 'node:crypto'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { imports } from '#lib/platform/db/schema/imports.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { type ImportReport, MAX_FILES } from '../report/report.ts'
import type { SourceFile } from '../sources/source.ts'

/** Stored import of one customer. */
export type StoredImport = {
  id: string
  kind: string
  files: SourceFile[]
  report: ImportReport
  createdAt: Date
  undoneAt: Date | null
}

/** Returns a new import id for typing: the day and some digits, as in `20261122-4f3a9c1e`. */
export function newImportId(): string {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  return `${day}-${randomBytes(4).toString('hex')}`
}

/** Records the start of an import, which its writes refer to. */
export async function addImport(
  tx: Transaction,
  customerId: CustomerId,
  { id, kind, files }: { id: string; kind: ImportReport['kind']; files: readonly SourceFile[] },
): Promise<void> {
  await tx.insert(imports).values({
    customerId,
    id,
    kind,
    files: files.slice(0, MAX_FILES),
    report: {},
    // Of the moment at which it was its turn, and not of the one at which it began to wait.
    createdAt: sql`statement_timestamp()`,
  })
}

/** Records the result of an import, and adds it to the customer's history where anything changed. */
export async function endImport(
  tx: Transaction,
  customerId: CustomerId,
  {
    id,
    requestId,
    subject,
    report,
  }: { id: string; requestId: string; subject: string; report: ImportReport },
): Promise<void> {
  const { unchanged, ...changed } = report.counts
  const charged = 'charged' in report ? (report.charged?.added ?? 0) + (report.charged?.replaced ?? 0) : 0
  const isNothing = Object.values(changed).every((count) => count === 0) && charged === 0
  // Repeated nightly files add a line each to the list of imports, and nothing else.
  const storedReport = isNothing && 'groups' in report ? { ...report, groups: [] } : report
  await tx
    .update(imports)
    .set({ report: { ...storedReport, files: storedReport.files.slice(0, MAX_FILES) } })
    .where(and(eq(imports.customerId, customerId), eq(imports.id, id)))
  if (isNothing) return
  const action = report.kind === 'assets' ? 'assets.imported' : 'invoices.imported'
  const details = { ...nonZero(changed), unchanged, ...(charged > 0 ? { charged } : {}), import: id }
  await recordAudit(tx, customerId, { action, subject, actor: OPERATOR, requestId, details })
}

/** Returns a customer's imports, newest first. */
export async function listImports(
  tx: Transaction,
  customerId: CustomerId,
  most: number,
): Promise<StoredImport[]> {
  return tx
    .select(columns)
    .from(imports)
    .where(eq(imports.customerId, customerId))
    .orderBy(desc(imports.createdAt), desc(imports.id))
    .limit(most)
    .then((rows) => rows as StoredImport[])
}

/** Returns one import of a customer; undefined for an unknown id. */
export async function findImport(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<StoredImport | undefined> {
  const rows = await tx
    .select(columns)
    .from(imports)
    .where(and(eq(imports.customerId, customerId), eq(imports.id, id)))
  return rows[0] as StoredImport | undefined
}

const columns = {
  id: imports.id,
  kind: imports.kind,
  files: imports.files,
  report: imports.report,
  createdAt: imports.createdAt,
  undoneAt: imports.undoneAt,
}

function nonZero(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([name, count]) => count !== 0 || name === 'added'))
}
