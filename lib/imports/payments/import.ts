import 'server-only'
import { eq, type SQL, sql } from 'drizzle-orm'
import { wireId } from '#lib/billing/invoices/wire-ids.ts'
import { recordPayment } from '#lib/billing/payments/ledger.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { today } from '#lib/platform/db/schema/columns.ts'
import { customers } from '#lib/platform/db/schema/customers.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { ImportError, type ImportProblem, MAX_PROBLEMS } from '../import-error.ts'
import { readText } from '../sources/read-text.ts'
import { readCamt } from './camt.ts'
import { readPaymentsCsv } from './csv.ts'
import { type Candidate, type Match, matchTransaction } from './match.ts'
import {
  type BankFile,
  type BankTransaction,
  type LeftOut,
  MAX_REMITTANCE_LENGTH,
  problemsOf,
} from './transaction.ts'

/** Result for one entry of a file, in its order. */
export type PaymentResult = {
  location: string
  reference: string
  paidOn: string | null
  amount: string | null
  currency: string | null
  payer: string | null
  /** `unmatched`: it fits no invoice, and is not stored unless that is asked for. */
  result: 'recorded' | 'unchanged' | 'unmatched' | 'left out'
  matchedBy: string | null
  /** Invoices with their amounts. */
  invoices: string[]
  credit: string | null
}

/**
 * Reads a whole file of payments: camt.053 or camt.054 if it is XML, else CSV. Nothing is stored of it yet.
 * @throws ImportError that lists the faults by line
 */
export async function readPaymentFile(path: string, signal?: AbortSignal): Promise<BankFile> {
  const text = readText(path, signal)
  const first = await text.next()
  const start = first.done ? '' : first.value
  const whole = joined(start, text)
  const file = start.trimStart().startsWith('<')
    ? await readCamt(whole)
    : await readPaymentsCsv(whole, signal)
  const problems = file.transactions.flatMap(problemsOf).slice(0, MAX_PROBLEMS)
  if (problems.length > 0) throw new ImportError(problems)
  return withoutRepeats(file)
}

async function* joined(start: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield start
  yield* rest
}

/**
 * Numbers transactions of one content and without a bank reference, as two equal payments of a day are two.
 * @throws ImportError where two transactions of one reference differ
 */
function withoutRepeats({ transactions, leftOut }: BankFile): BankFile {
  const counts = new Map<string, number>()
  const problems: ImportProblem[] = []
  const contents = new Map<string, string>()
  const numbered = transactions.map((transaction) => {
    const { reference, paidOn, amount, currency, line, location } = transaction
    const { payer, endToEndId, remittance, documentNumbers } = transaction
    if (reference.startsWith('derived:')) {
      const count = (counts.get(reference) ?? 0) + 1
      counts.set(reference, count)
      return count === 1 ? transaction : { ...transaction, reference: `${reference}/${count}` }
    }
    const content = JSON.stringify([
      ...[paidOn, new Exact(amount).toFixed(), currency],
      ...[payer, endToEndId, remittance, documentNumbers],
    ])
    const other = contents.get(reference)
    if (other !== undefined && other !== content)
      problems.push({ line, subject: location, reason: `has the reference ${reference} of another payment` })
    contents.set(reference, content)
    return transaction
  })
  if (problems.length > 0) throw new ImportError(problems.slice(0, MAX_PROBLEMS))
  return { transactions: numbered, leftOut }
}

/**
 * Records the payments of a file that fit a customer's invoices, in the caller's transaction: all of them, or none. The
 * caller holds the lock of the customer's imports.
 * @param unmatchedAsCredit also stores payments that fit no invoice, as the customer's credit
 * @throws ImportError that lists references that have another payment already
 */
export async function importPayments(
  tx: Transaction,
  customerId: CustomerId,
  file: BankFile,
  { name, unmatchedAsCredit, requestId }: { name: string; unmatchedAsCredit: boolean; requestId: string },
): Promise<PaymentResult[]> {
  const candidates = await readCandidates(tx, customerId)
  const payers = await readPayers(tx, customerId)
  const results: PaymentResult[] = []
  const problems: ImportProblem[] = []
  for (const transaction of file.transactions) {
    const match = matchTransaction(transaction, candidates, payers)
    const isStorable = match ?? (unmatchedAsCredit || (await isStored(tx, customerId, transaction.reference)))
    if (!isStorable) {
      results.push(resultOf(transaction, 'unmatched'))
      continue
    }
    try {
      results.push(await recordOne(tx, customerId, { transaction, match, candidates, requestId }))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problems.push({ line: transaction.line, subject: transaction.location, reason: error.message })
      if (problems.length >= MAX_PROBLEMS) break
    }
  }
  if (problems.length > 0) throw new ImportError(problems)
  const countOf = (result: PaymentResult['result']) => results.filter((one) => one.result === result).length
  const counts = {
    recorded: countOf('recorded'),
    unchanged: countOf('unchanged'),
    unmatched: countOf('unmatched'),
  }
  if (counts.recorded > 0) {
    const event = { action: 'payments.imported', subject: name, actor: OPERATOR, requestId }
    await recordAudit(tx, customerId, { ...event, details: counts })
  }
  return [...results, ...file.leftOut.map(leftOutResult)]
}

type One = {
  transaction: BankTransaction
  match: Match | undefined
  candidates: Candidate[]
  requestId: string
}

async function recordOne(
  tx: Transaction,
  customerId: CustomerId,
  { transaction, match, candidates, requestId }: One,
): Promise<PaymentResult> {
  const outcome = await recordPayment(tx, customerId, paymentOf(transaction, match), requestId)
  for (const { id, amount } of outcome.parts) reduce(candidates, id, amount)
  return {
    ...resultOf(transaction, outcome.what),
    matchedBy: outcome.what === 'recorded' ? (match?.by ?? null) : null,
    invoices: outcome.parts.map(({ id, amount }) => `${id}: ${amount}`),
    credit: new Exact(outcome.credit).eq(0) ? null : outcome.credit,
  }
}

function leftOutResult({ location, reason, reference }: LeftOut): PaymentResult {
  const none = { paidOn: null, amount: null, currency: null, payer: null, invoices: [], credit: null }
  return { ...none, location, reference: reference ?? '', result: 'left out', matchedBy: reason }
}

function resultOf(
  { location, reference, paidOn, amount, currency, payer }: BankTransaction,
  result: PaymentResult['result'],
): PaymentResult {
  return {
    ...{ location, reference, paidOn, amount, currency, payer: payer ?? null },
    ...{ result, matchedBy: null, invoices: [], credit: null },
  }
}

function paymentOf(transaction: BankTransaction, match: Match | undefined) {
  const { paidOn, amount, currency, reference, payer, endToEndId, remittance, documentNumbers, method } =
    transaction
  const text = [remittance, ...(documentNumbers ?? [])].filter(Boolean).join(' ')
  return {
    ...{ kind: 'payment' as const, paidOn, amount, currency, reference, payer, endToEndId },
    // Numbers are for the match; of many, the first ones are kept.
    remittance: text.slice(0, MAX_REMITTANCE_LENGTH).toWellFormed() || undefined,
    method: method ?? 'bank transfer',
    invoices: (match?.invoices ?? []).map(({ wireId }) => ({ id: wireId })),
  }
}

/** Subtracts a part of a payment from the open amount, for the transactions that follow. */
function reduce(candidates: Candidate[], id: string, amount: string): void {
  const candidate = candidates.find(({ wireId }) => wireId === id)
  if (candidate) candidate.open = new Exact(candidate.open).minus(amount).toFixed()
}

/** Days within which a paid invoice may be paid once more. */
const RECENT_DAYS = 400
const MAX_CANDIDATES = 100_000

async function readCandidates(tx: Transaction, customerId: CustomerId): Promise<Candidate[]> {
  const { rows } = await tx.execute<Candidate>(sql`
    SELECT id, ${wireId} AS "wireId", number, currency, due_date::text AS "dueDate",
      trim_scale(coalesce(payable_amount, balance_amount))::text AS open
    FROM invoices WHERE customer_id = ${customerId} AND document_state = 'issued'
      AND (balance_amount <> 0 OR invoice_date > ${today} - ${RECENT_DAYS}::int)
    ORDER BY due_date, id LIMIT ${MAX_CANDIDATES}`)
  return rows
}

/** Names of the customer and of its billing profiles. */
async function readPayers(tx: Transaction, customerId: CustomerId): Promise<string[]> {
  const names: SQL = sql`
    SELECT name FROM billing_profiles WHERE customer_id = ${customerId}
    UNION SELECT name FROM customers WHERE ${eq(customers.id, customerId)}`
  const { rows } = await tx.execute<{ name: string }>(names)
  return rows.map(({ name }) => name)
}

async function isStored(tx: Transaction, customerId: CustomerId, reference: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    SELECT FROM payments WHERE customer_id = ${customerId} AND reference = ${reference}`)
  return rows.length > 0
}
