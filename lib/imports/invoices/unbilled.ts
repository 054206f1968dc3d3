import 'server-only'
import Big from 'big.js'
import { sql } from 'drizzle-orm'
import type { IssuerNames, Unbilled } from '#lib/billing/parties/issuers.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { addDays } from '#lib/platform/values/days.ts'
import type { NewInvoice } from '../schemas.ts'
import { readTwins } from './period.ts'
import type { Placed } from './places.ts'
import { asVoided, completed, type StoredInvoice } from './stored.ts'

// Charges without a number of their issuer's are not billed yet: their sum is a draft, which is never owed.

const GRACE_DAYS = 10

/**
 * Returns the invoice with the state to store. Charges without a number stay a draft for the issuer's days of grace
 * after their period, and as long as the issuer may still number them; then they are issued. An issued invoice stays
 * issued.
 * @param today a day of UTC
 */
export function withUnbilledState(
  invoice: NewInvoice,
  stored: Pick<StoredInvoice, 'documentState'> | undefined,
  { graceDays, unbilled }: Unbilled,
  today: string,
): NewInvoice {
  const { isNumbered, documentState = 'issued', periodEnd, awaitsBill = false } = invoice
  if (isNumbered !== false || documentState !== 'issued' || periodEnd === undefined) return invoice
  if (stored?.documentState === 'issued') return invoice
  const isOver = addDays(periodEnd, graceDays ?? GRACE_DAYS) <= today
  const isIssued = unbilled === null ? !awaitsBill : unbilled === 'issue'
  if (isOver && isIssued) return invoice
  const { balanceAmount: _, ...draft } = invoice
  return { ...draft, documentState: 'draft' }
}

/**
 * Finds which of these charges without a number are billed by now: an issued invoice of their issuer, account and period has
 * the same total, and is none of those that the import itself brings.
 */
export async function readBilled(
  tx: Transaction,
  customerId: CustomerId,
  placed: readonly Placed[],
  { names, isOfImport }: { names: IssuerNames; isOfImport(key: { issuer: string; number: string }): boolean },
): Promise<Set<Placed>> {
  const unnumbered = placed.filter(
    ({ invoice, stored }) => invoice.isNumbered === false && stored?.documentState !== 'issued',
  )
  const candidates = new Map(
    unnumbered.map((one) => [completed(one.invoice, { id: '', importId: null, isHistory: false }), one]),
  )
  const twins = await readTwins(tx, customerId, [...candidates.keys()], names)
  return new Set(
    twins.flatMap(({ stored, incoming }) => {
      const one = candidates.get(incoming)
      const isBill = new Big(stored.total).eq(incoming.totalAmount) && !isOfImport(stored)
      return one && isBill ? [one] : []
    }),
  )
}

/**
 * Takes away drafts of charges that are billed by now. One that something points to stays.
 * @returns the ids of those that stay
 */
export async function dropDrafts(
  tx: Transaction,
  customerId: CustomerId,
  drafts: readonly StoredInvoice[],
): Promise<Set<string>> {
  if (drafts.length === 0) return new Set()
  const ids = sql`${sql.param(drafts.map(({ id }) => id).sort())}::text[]`
  const { rows } = await tx.execute<{ id: string }>(sql`
    DELETE FROM invoices i WHERE customer_id = ${customerId} AND id = ANY (${ids}) AND document_state = 'draft'
      AND NOT EXISTS (SELECT FROM invoice_files f WHERE f.customer_id = ${customerId} AND f.invoice_id = i.id)
      AND NOT EXISTS (SELECT FROM invoices o WHERE o.customer_id = ${customerId} AND o.replaced_by = i.id)
    RETURNING id`)
  const dropped = new Set(rows.map(({ id }) => id))
  return new Set(drafts.flatMap(({ id }) => (dropped.has(id) ? [] : [id])))
}

/** An invoice that was to be issued, although its period is billed under a number already: it stays a draft. */
export function asDraft(row: StoredInvoice): StoredInvoice {
  return { ...asVoided(row), documentState: 'draft', replacedBy: null }
}
