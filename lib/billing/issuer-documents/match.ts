import 'server-only'
import { and, asc, eq, gt, inArray } from 'drizzle-orm'
import { wireId } from '#lib/billing/invoices/wire-ids.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoiceFiles, invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { fileName } from '#lib/platform/files/attachment.ts'

const PAGE = 20_000

/** Of a document's name what may name its invoice: without extension, in the form that our own files have. */
export function stemOf(name: string): string {
  return fileName(name.replace(/\.(pdf|xml)$/i, ''))
}

/**
 * The issued invoices whose id or number these stems are, in the form that file names have. All of the customer's
 * are looked at, a page at a time, for that form can't be asked for.
 * @returns ids by stem; several where it is not clear which is meant
 */
export async function matchInvoices(
  tx: Transaction,
  customerId: CustomerId,
  stems: ReadonlySet<string>,
): Promise<Map<string, string[]>> {
  const matches = new Map<string, string[]>()
  const { id, number } = invoices
  const issuedFilter = and(eq(invoices.customerId, customerId), eq(invoices.documentState, 'issued'))
  for (let last = ''; stems.size > 0; ) {
    const rows = await tx
      .select({ id, wireId, number })
      .from(invoices)
      .where(and(issuedFilter, gt(id, last)))
      .orderBy(asc(id))
      .limit(PAGE)
    for (const row of rows) {
      const names = new Set([row.id, row.wireId, row.number].map(fileName))
      for (const stem of names) if (stems.has(stem)) matches.set(stem, [...(matches.get(stem) ?? []), row.id])
    }
    last = rows.at(-1)?.id ?? ''
    if (rows.length < PAGE) break
  }
  return matches
}

/** What state an invoice is in; undefined where the customer has none with this id. */
export async function stateOf(tx: Transaction, customerId: CustomerId, invoiceId: string) {
  const invoiceFilter = and(eq(invoices.customerId, customerId), eq(invoices.id, invoiceId))
  const [row] = await tx.select({ state: invoices.documentState }).from(invoices).where(invoiceFilter)
  return row?.state
}

/** What one of the customer's invoices has as its document already, by kind and digest. */
export type StoredDocument = { invoiceId: string; kind: string; digest: string; stems: string[] }

/**
 * Documents of these digests that are kept already, of invoices in whatever state: a folder that is given again holds
 * the papers of corrected ones, too, and these are none of the corrections'.
 */
export async function matchStored(
  tx: Transaction,
  customerId: CustomerId,
  digests: readonly string[],
): Promise<StoredDocument[]> {
  const { id: invoiceId, number } = invoices
  const { kind, digest } = invoiceFiles
  const rows = await tx
    .select({ invoiceId, number, kind, digest })
    .from(invoiceFiles)
    .innerJoin(invoices, and(eq(invoices.customerId, customerId), eq(invoices.id, invoiceFiles.invoiceId)))
    .where(and(eq(invoiceFiles.customerId, customerId), inArray(digest, [...digests])))
  return rows.map(({ number, ...row }) => ({ ...row, stems: [row.invoiceId, number].map(fileName) }))
}
