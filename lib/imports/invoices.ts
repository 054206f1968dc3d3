import 'server-only'
import { randomUUID } from 'node:crypto'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { planAgain } from '#lib/db/plans.ts'
import { OPERATOR, recordAudit } from '#lib/history/audit.ts'
import { balanceOf, differencesOf, faultsOf, type StoredInvoice } from './invoice-differences.ts'
import { addInvoices, listProfiles, overwriteInvoices, readStored } from './invoice-rows.ts'
import { importIssuers } from './issuers.ts'
import { type ImportProblem, ImportRefused, MOST_PROBLEMS, problemText } from './refused.ts'
import type { Imported, NewInvoice } from './shapes.ts'

type Options = { replace: boolean; requestId?: string }
type Replacement = { invoice: NewInvoice; problems: ImportProblem[] }

// So that each statement stays far below the 3 s that it may take.
const MOST_INVOICES = 500
const MOST_LINES = 5000
const MOST_DIFFERENCES = 4

/**
 * Adds invoices with their lines, in batches. One that is there already with the same content changes
 * nothing. With `replace`, one that is there with other content is written over, and an audit row keeps
 * what it was before.
 * @throws ImportRefused that lists the differences by field, where `replace` is not set; also for an
 * unknown billing profile, an invoice without lines, and an id that is given twice. The same holds for what
 * invoices say of their issuers
 */
export async function importInvoices(
  tx: Transaction,
  customerId: CustomerId,
  invoices: NewInvoice[],
  { replace, requestId = randomUUID() }: Options,
): Promise<Imported> {
  const problems = faultsOf(invoices, await listProfiles(tx, customerId))
  if (problems.length > 0) throw new ImportRefused(problems.slice(0, MOST_PROBLEMS))
  const issuers = invoices.flatMap(({ issuer, issuerDetails }) =>
    issuerDetails ? [{ name: issuer, ...issuerDetails }] : [],
  )
  problems.push(...(await importIssuers(tx, customerId, issuers, { replace, requestId })))
  const counts: Imported = { added: 0, unchanged: 0, replaced: 0 }
  for (const batch of batchesOf(invoices)) {
    await planAgain(tx)
    const ids = batch.map(({ id }) => id)
    const stored = await readStored(tx, customerId, ids)
    const { fresh, other, unchanged } = sorted(batch, stored)
    if (!replace) problems.push(...other.flatMap(shortened))
    if (problems.length >= MOST_PROBLEMS) break
    if (problems.length > 0) continue
    const added = fresh.map((invoice) => complete(invoice))
    const changed = other.map(({ invoice }) => complete(invoice, stored.get(invoice.id)))
    await addInvoices(tx, customerId, added)
    await overwriteInvoices(tx, customerId, changed)
    for (const replacement of other) await recordReplacement(tx, customerId, replacement, requestId)
    counts.added += added.length
    counts.replaced += changed.length
    counts.unchanged += unchanged
  }
  if (problems.length > 0) throw new ImportRefused(problems.slice(0, MOST_PROBLEMS))
  return counts
}

function sorted(batch: NewInvoice[], stored: ReadonlyMap<string, StoredInvoice>) {
  const fresh: NewInvoice[] = []
  const other: Replacement[] = []
  for (const invoice of batch) {
    const known = stored.get(invoice.id)
    if (!known) fresh.push(invoice)
    else {
      const problems = differencesOf(known, invoice)
      if (problems.length > 0) other.push({ invoice, problems })
    }
  }
  return { fresh, other, unchanged: batch.length - fresh.length - other.length }
}

/** A few differences of each invoice, so that one of them doesn't fill the whole list. */
function shortened({ problems }: Replacement): ImportProblem[] {
  const left = problems.length - MOST_DIFFERENCES
  if (left < 2) return problems
  const { subject } = problems[0] ?? {}
  const rest = { subject, reason: `${left} more differences`, replaceable: true }
  return [...problems.slice(0, MOST_DIFFERENCES), rest]
}

function complete(invoice: NewInvoice, stored?: StoredInvoice): StoredInvoice {
  const { billingProfileId = stored?.billingProfileId ?? 'default' } = invoice
  const lines = invoice.lines.map((line) => ({ ...line, details: line.details ?? null }))
  return { ...invoice, billingProfileId, balanceAmount: balanceOf(invoice, stored), lines }
}

async function recordReplacement(
  tx: Transaction,
  customerId: CustomerId,
  { invoice, problems }: Replacement,
  requestId: string,
) {
  const changes = problems.slice(0, MOST_PROBLEMS).map(problemText)
  const event = { action: 'invoice.replaced', subject: invoice.id, actor: OPERATOR, requestId }
  await recordAudit(tx, customerId, { ...event, details: { changes } })
}

function* batchesOf(invoices: NewInvoice[]): Generator<NewInvoice[]> {
  let batch: NewInvoice[] = []
  let lines = 0
  for (const invoice of invoices) {
    if (batch.length === MOST_INVOICES || (lines > 0 && lines + invoice.lines.length > MOST_LINES)) {
      yield batch
      batch = []
      lines = 0
    }
    batch.push(invoice)
    lines += invoice.lines.length
  }
  if (batch.length > 0) yield batch
}
