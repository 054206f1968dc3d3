import 'server-only'
import { and, eq, inArray } from 'drizzle-orm'
import {
  type IssuerDetails,
  issuerColumns,
  type NewIssuer,
  NO_DETAILS,
  saveIssuer,
} from '#lib/billing/parties/issuers.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { issuers } from '#lib/platform/db/schema/invoices/parties.ts'
import { difference, type ImportProblem } from './import-error.ts'

/**
 * Stores the issuers of imported invoices. Fills in missing values; overwrites different ones only with `correct`.
 * @returns the differences that prevent the import
 */
export async function importIssuers(
  tx: Transaction,
  customerId: CustomerId,
  newIssuers: readonly NewIssuer[],
  { correct, requestId }: { correct: boolean; requestId: string },
): Promise<ImportProblem[]> {
  if (newIssuers.length === 0) return []
  const names = [...new Set(newIssuers.map(({ name }) => name))]
  const rows = await tx
    .select({ name: issuers.name, ...issuerColumns })
    .from(issuers)
    .where(and(eq(issuers.customerId, customerId), inArray(issuers.name, names)))
    .for('no key update')
  const stored = new Map(rows.map(({ name, ...details }) => [name, details as IssuerDetails]))
  const changed = new Set<string>()
  const problems: ImportProblem[] = []
  for (const { name, ...details } of newIssuers) {
    const was = stored.get(name) ?? NO_DETAILS
    const fields = (Object.keys(details) as (keyof IssuerDetails)[]).filter(
      (field) => (details[field] ?? null) !== was[field],
    )
    const other = fields.filter((field) => was[field] !== null)
    if (!correct && other.length > 0)
      problems.push(
        ...other.map((field) =>
          difference(`issuer ${name}`, {
            column: field,
            stored: was[field],
            incoming: details[field],
            allowedBy: '--correct',
          }),
        ),
      )
    if (fields.length > 0) changed.add(name)
    stored.set(name, { ...was, ...details })
  }
  if (problems.length > 0) return problems
  for (const name of changed)
    await saveIssuer(tx, customerId, { name, ...NO_DETAILS, ...stored.get(name) }, requestId)
  return []
}
