import 'server-only'
import { and, asc, eq, gt, inArray } from 'drizzle-orm'
import { wireId } from '#lib/billing/invoices/wire-ids.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoiceFiles, invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { fileName } from '#lib/platform/files/attachment.ts'

const PAGE = 20_000

/** Returns the part of a document's name that may name its invoice: without extension, in the form of our own files. */
export function stemOf(name: string): string {
  return fileName(name.replace(/\.(pdf|xml)$/i, ''))
}

/**
 * Returns the issued invoices whose id or number has one of these stems in the form of file names. Reads all of the
 * customer's invoices page by page, because that form is not indexed.
 * @returns ids by stem; several where the match is ambiguous
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

/** Returns the state of an invoice; undefined where the customer has no such invoice. */
export async function stateOf(tx: Transaction, customerId: CustomerId, invoiceId: string) {
  const invoiceFilter = and(eq(invoices.customerId, customerId), eq(invoices.id, invoiceId))
  const [row] = await tx.select({ state: invoices.documentState }).from(invoices).where(invoiceFilter)
  return row?.state
}

/** Stored document of one of the customer's invoices, by kind and digest. */
export type StoredDocument = { invoiceId: string; kind: string; digest: string; stems: string[] }

/**
 * Returns stored documents with these digests, of invoices in any state: a repeated folder contains documents of
 * corrected invoices, too, which do not belong to the corrections.
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
