import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import {
  isConsistent,
  type TaxedInvoice,
  type TaxedLine,
  taxOf,
  taxOfNetLines,
} from '#lib/billing/posting/tax.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { billingProfiles } from '#lib/platform/db/schema/customers.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { type RenderPdf, renderInWorker } from './render.ts'
import { digestOf, listStoredFiles, readDrawable, storeFile } from './store.ts'

/** Documents that one batch draws: some 20 milliseconds each. */
const MAX_DRAWN = 10

type Stored = Pick<TaxedInvoice, 'netAmount' | 'taxAmount' | 'isTaxCalculated'>

/**
 * Corrects gross lines that releases before this one calculated as net: net and tax that an import stored, and the PDF
 * with the note that the issuer's figures do not add up. The PDF's first bytes stay, and the history names both
 * digests.
 */
export const taxOfGrossLines: Backfill = taxCorrection(renderInWorker)

/** Like `taxOfGrossLines`, with another renderer. */
export function taxCorrection(draw: RenderPdf): Backfill {
  return {
    name: 'tax-of-gross-lines',
    async batch(tx, customerId, { after, most }) {
      const { rows } = await tx.execute<{ id: string; isTaxed: boolean }>(sql`
        SELECT id, coalesce(tax_breakdown, '[]') = '[]' AND EXISTS (
          SELECT FROM line_items WHERE customer_id = ${customerId} AND invoice_id = next.id AND tax_category <> '') AS "isTaxed"
        FROM (
          SELECT id, tax_breakdown FROM invoices
          WHERE customer_id = ${customerId} AND id > ${after ?? ''} ORDER BY id LIMIT ${most} FOR NO KEY UPDATE) AS next
        ORDER BY id`)
      const profiles = await tx
        .select({ id: billingProfiles.id })
        .from(billingProfiles)
        .where(eq(billingProfiles.customerId, customerId))
      const owner = { customerId, billingProfiles: profiles.map(({ id }) => id) }
      let drawn = 0
      for (const [index, { id, isTaxed }] of rows.entries()) {
        if (!isTaxed) continue
        if (await correct(tx, owner, id, draw)) drawn += 1
        if (drawn === MAX_DRAWN) return { count: index + 1, last: id }
      }
      return { count: rows.length, last: rows.length < most ? null : (rows.at(-1)?.id ?? null) }
    },
  }
}

/** @returns whether its document was drawn again */
async function correct(
  tx: Transaction,
  owner: { customerId: CustomerId; billingProfiles: string[] },
  id: string,
  draw: RenderPdf,
): Promise<boolean> {
  const { customerId } = owner
  const read = await readDrawable(tx, owner, id)
  if (!read) return false
  const { lines } = read
  const before = taxOfNetLines(read.document, lines)
  const stored = correctedOf(read.document, lines)
  if (stored)
    await tx
      .update(invoices)
      .set({
        netAmount: textOf(stored.netAmount),
        taxAmount: textOf(stored.taxAmount),
        isTaxCalculated: stored.isTaxCalculated ?? null,
      })
      .where(and(eq(invoices.customerId, customerId), eq(invoices.id, id)))
  if (before?.from !== 'LINE_ITEMS' || isConsistent(before)) return false
  const kept = await listStoredFiles(tx, customerId, id)
  const first = kept.find(({ kind }) => kind === 'drawn')
  if (!first || kept.some(({ kind }) => kind === 'superseded')) return false
  // It was drawn when it was issued, and may be voided since.
  const document = { ...read.document, ...stored, documentState: 'issued' }
  const bytes = await draw(document as typeof read.document, lines, customerId)
  if (digestOf(bytes) === first.digest) return false
  if (!(await storeFile(tx, customerId, { invoiceId: id, kind: 'redrawn', bytes }))) return false
  await recordAudit(tx, customerId, {
    action: 'invoice.file-reissued',
    subject: id,
    actor: OPERATOR,
    requestId: randomUUID(),
    details: { before: first.digest, after: digestOf(bytes) },
  })
  return true
}

/**
 * Returns net and tax to store, where the stored ones were calculated from the lines; undefined where nothing changes.
 * Figures that add up to the total have no known author: they stay, marked as calculated.
 */
export function correctedOf(invoice: TaxedInvoice, lines: readonly TaxedLine[]): Stored | undefined {
  const { netAmount, taxAmount, isTaxCalculated } = invoice
  if (isTaxCalculated || !isSaid(netAmount) || !isSaid(taxAmount)) return undefined
  const unstated = { ...invoice, netAmount: null, taxAmount: null }
  const calculated = taxOfNetLines(unstated, lines)
  if (calculated?.from !== 'LINE_ITEMS') return undefined
  const isOurs = {
    net: new Exact(netAmount).eq(calculated.net),
    tax: new Exact(taxAmount).eq(calculated.tax),
  }
  if (new Exact(netAmount).plus(taxAmount).eq(invoice.totalAmount))
    return isOurs.net && isOurs.tax ? { netAmount, taxAmount, isTaxCalculated: true } : undefined
  if (!isOurs.net && !isOurs.tax) return undefined
  const stated = {
    ...unstated,
    ...(isOurs.net ? {} : { netAmount }),
    ...(isOurs.tax ? {} : { taxAmount }),
  }
  const sums = taxOf(stated, lines)
  if (!sums || !(sums.amountsFrom === 'ISSUER' || isConsistent(sums)))
    return { netAmount: null, taxAmount: null, isTaxCalculated: null }
  return {
    netAmount: sums.net,
    taxAmount: sums.tax,
    isTaxCalculated: sums.amountsFrom === 'LINE_ITEMS' ? true : null,
  }
}

function isSaid<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined
}

function textOf(amount: Stored['netAmount']): string | null {
  return isSaid(amount) ? String(amount) : null
}
