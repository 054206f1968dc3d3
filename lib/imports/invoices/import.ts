import 'server-only'
import { randomUUID } from 'node:crypto'
import Big from 'big.js'
import { eq } from 'drizzle-orm'
import { sumsOfMany } from '#lib/billing/invoices/sums/verify-totals.ts'
import { issuerNames } from '#lib/billing/parties/issuers.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { planAgain, planForAnyCustomer } from '#lib/platform/db/plans.ts'
import { billingProfiles } from '#lib/platform/db/schema/customers.ts'
import { ImportError, type ImportProblem, MAX_PROBLEMS } from '../import-error.ts'
import { importIssuers } from '../issuers.ts'
import type { InvoiceCounts, NewInvoice } from '../schemas.ts'
import type { Result } from './action.ts'
import type { IssuerAnswer } from './alike.ts'
import { storer } from './storer.ts'

export type InvoiceImport = {
  /** Voids an issued invoice that the file has with another content, and puts that in its place. */
  correct?: boolean
  /** Answer about an issuer whose invoice resembles another one's; if absent, the invoice is rejected. */
  answer?: IssuerAnswer | undefined
  /** The row of `imports` that it belongs to; absent: it can't be undone. */
  importId?: string
  requestId?: string
  /** New invoices without reminders: all of them, or those that arrive long after their due date. */
  history?: 'all' | 'late'
  /** Called with the result for each invoice, in the order of the file. */
  onResult?: (result: Result) => void
  signal?: AbortSignal
}

/**
 * Stores a file's invoices with their lines, in batches. An invoice that is stored with the same content changes
 * nothing; `actionFor` decides about the others. Drafts whose period has been billed are superseded.
 * @throws ImportError that lists the problems: corrections without `correct`, an unknown billing profile, an invoice
 * without lines or twice in the file. The same holds for the details of issuers
 */
export async function importInvoices(
  tx: Transaction,
  customerId: CustomerId,
  invoices: Iterable<NewInvoice> | AsyncIterable<NewInvoice>,
  { correct = false, requestId = randomUUID(), signal, ...rest }: InvoiceImport = {},
): Promise<InvoiceCounts> {
  await planForAnyCustomer(tx)
  const profiles = await listProfiles(tx, customerId)
  const names = await issuerNames(tx, customerId)
  const problems: ImportProblem[] = []
  const sums = sumsOfMany(tx, customerId)
  const store = await storer(tx, customerId, { correct, requestId, names, ...rest })
  for await (const batch of batchesOf(invoices)) {
    signal?.throwIfAborted()
    await sums.next()
    const faults = validationProblems(batch, profiles)
    if (faults.length > 0) {
      problems.push(...(await store.addBatch(batch, { dry: true })), ...faults)
      break
    }
    await planAgain(tx)
    const issuers = batch.flatMap(({ issuer, issuerDetails }) =>
      issuerDetails ? [{ name: names.nameOf(issuer), ...issuerDetails }] : [],
    )
    problems.push(...(await importIssuers(tx, customerId, issuers, { correct, requestId })))
    problems.push(...(await store.addBatch(batch, { dry: problems.length > 0 })))
    if (problems.length >= MAX_PROBLEMS) break
  }
  if (problems.length === 0) problems.push(...(await store.end()))
  if (problems.length > 0) throw new ImportError(problems.slice(0, MAX_PROBLEMS))
  await sums.end()
  return store.counts
}

/** Ids of the customer's billing profiles. */
async function listProfiles(tx: Transaction, customerId: CustomerId): Promise<Set<string>> {
  const customerFilter = eq(billingProfiles.customerId, customerId)
  const rows = await tx.select({ id: billingProfiles.id }).from(billingProfiles).where(customerFilter)
  return new Set(rows.map(({ id }) => id))
}

// So that each statement stays far below the time that it may take.
const MAX_INVOICES = 500
const MAX_LINES = 5000

/** Portions that are small in memory and quick to write, whatever is in them. */
async function* batchesOf(
  invoices: Iterable<NewInvoice> | AsyncIterable<NewInvoice>,
): AsyncGenerator<NewInvoice[]> {
  let batch: NewInvoice[] = []
  let lines = 0
  for await (const invoice of invoices) {
    if (batch.length === MAX_INVOICES || (lines > 0 && lines + invoice.lines.length > MAX_LINES)) {
      yield batch
      batch = []
      lines = 0
    }
    batch.push(invoice)
    lines += invoice.lines.length
  }
  if (batch.length > 0) yield batch
}

/** Returns the problems that make invoices invalid regardless of the stored data. */
function validationProblems(invoices: readonly NewInvoice[], profiles: ReadonlySet<string>): ImportProblem[] {
  return invoices.flatMap((invoice) => {
    const { number, billingProfileId = 'default', lines, totalAmount, balanceAmount } = invoice
    const subject = `invoice ${number}`
    if (lines.length === 0) return [{ subject, reason: 'has no lines' }]
    const inexact = Object.entries({ totalAmount, balanceAmount }).find(
      ([, value]) => value && !isExactAsJson(value),
    )
    if (inexact)
      return [{ subject, column: inexact[0], reason: 'has more digits than a JSON number can say' }]
    if (profiles.has(billingProfileId)) return []
    return [
      { subject, column: 'billingProfileId', reason: `there is no billing profile ${billingProfileId}` },
    ]
  })
}

/** Returns whether the amount is exact as a JSON number: an amount that would lose a cent is rejected on input. */
function isExactAsJson(amount: string): boolean {
  return new Big(Number(amount)).eq(amount)
}
