import Big from 'big.js'
import { issuerSpellings } from '#lib/imports/focus/issuer-spellings.ts'
import type { NewInvoice } from '#lib/imports/schemas.ts'
import { type ChargeStream, chargeSpool } from '../charges/spool.ts'
import { readRows, separatedByCommas } from '../csv-rows.ts'
import { ImportError, ofFile, type ProblemList, problemList } from '../import-error.ts'
import type { Owner } from '../resale/accounts.ts'
import type { Bill } from './bill.ts'
import { gatherCharges } from './charges.ts'
import { countFocusColumns, type Dataset, readHeader } from './columns.ts'
import { invoiceOf } from './invoice.ts'
import { billsOfBoth } from './merge.ts'
import { bothOf, type ReadSummary } from './read-summary.ts'
import { type Terms, validateTerms } from './terms.ts'

const NOT_RESOLD = 'has invoices of the vendor, which no one else can issue: resell the charges'

/** File or part of a bill. */
export type Source = {
  /** Name in problems; empty if there is only one source. */
  name: string
  text: AsyncIterable<string>
}

/** Invoice, with its customer if the map of accounts contains one. */
export type CustomerInvoice = {
  owner?: Owner
  invoice: NewInvoice
  /** Sum of the charges before rounding to the total, as exact decimal text. */
  exact: string
}

export type FocusOptions = Terms & {
  /** Other names of issuers, for the one customer of these charges: see `issuerSpellings`. */
  aliases?: ReadonlyMap<string, string> | undefined
  /** Current time, which decides whether a billing period has ended. */
  now: Date
  /** Called with the number of lines read so far, over all sources, for a progress display. */
  onLine?: (line: number) => void
  /** Called after each source with its number of rows, and how many of them are in an invoice. */
  onSource?: (read: Pick<ReadSummary, 'rows' | 'used'>) => void
  signal?: AbortSignal
  /** Maximum number of invoice lines in memory. */
  mostInMemory?: number
}

/**
 * Reads FOCUS files (CSV) into invoices in one pass; the parts of a bill may come in any order.
 *
 * Cost and Usage data of FOCUS 1.0 to 1.4 result in one invoice per issuer and `InvoiceId`; charges without an id result
 * in one invoice per issuer, billing account, billing period and currency. Invoice Detail data of FOCUS 1.4 result in
 * the invoices that they list. If both datasets contain an invoice, Invoice Detail states the billed amounts, and the
 * charges explain them.
 * @param sources files of either dataset, each with a header
 * @param handle called once, after all sources were read, with the invoices grouped by customer (in an order that does
 * not depend on the order of the sources), a summary for a report, and the charges in the same order of customers
 * @throws ImportError that lists the problems by file, line and column; also for contradictory terms, accounts that are
 * missing in the map, and charges without a price rule
 */
export async function readFocus<T>(
  sources: AsyncIterable<Source>,
  options: FocusOptions,
  handle: (invoices: Iterable<CustomerInvoice>, summary: ReadSummary, charges: ChargeStream) => Promise<T>,
): Promise<T> {
  const termsProblems = validateTerms(options)
  if (termsProblems.length > 0) throw new ImportError(termsProblems)
  const position: Position = { lines: 0, file: undefined }
  const problems = withFile(problemList(), position)
  const issuers = issuerSpellings(options.aliases)
  const { mostInMemory } = options
  const spool = chargeSpool(options, issuers, mostInMemory)
  // A reseller's customers never see the reseller's costs.
  const onCharge = options.issuer === undefined ? spool.add : undefined
  const charges = gatherCharges(options, { problems, issuers, mostInMemory, onCharge })
  const details = gatherCharges(options, { problems, issuers, mostInMemory })
  const summary = () => bothOf(details.summary, charges.summary)
  let stream: ChargeStream | undefined
  try {
    for await (const source of sources) {
      const before = summary()
      await readSource(source, options, { charges, details, problems, position })
      const after = summary()
      options.onSource?.({ rows: after.rows - before.rows, used: after.used - before.used })
    }
    problems.throwIfAny()
    charges.throwIfAny()
    details.throwIfAny()
    stream = spool.whole()
    const bills = billsOfBoth(details.bills(), charges.bills(), issuers)
    return await handle(invoicesOf(bills, options), summary(), stream)
  } finally {
    stream?.close()
    spool.close()
    charges.close()
    details.close()
  }
}

/** Position in the sources: the current file, and the number of lines in the files before it. */
type Position = { file: string | undefined; lines: number }
type Collector = ReturnType<typeof gatherCharges>

/** Returns a problem list that adds the name of the current file, if there is one, to each problem. */
function withFile(list: ProblemList, position: Position): ProblemList {
  const add: ProblemList['add'] = (problem) =>
    list.add(position.file ? { file: position.file, ...problem } : problem)
  return { ...list, add }
}

/** Reads one source into the collector of its dataset, and moves the position past the source. */
async function readSource(
  { name, text }: Source,
  { onLine, signal, issuer }: FocusOptions,
  {
    problems,
    position,
    ...collectors
  }: Record<Dataset, Collector> & { problems: ProblemList; position: Position },
): Promise<void> {
  const file = name === '' ? undefined : name
  position.file = file
  let lastLine = 0
  let dataset: { rows: Collector; width: number } | undefined
  const handleRow = (row: string[], line: number) => {
    lastLine = line
    onLine?.(position.lines + line)
    if (!dataset) {
      const header = readHeader(row, line)
      if (Array.isArray(header)) throw new ImportError(header)
      if (header.dataset === 'details' && issuer !== undefined)
        throw new ImportError([{ reason: NOT_RESOLD }])
      dataset = { rows: collectors[header.dataset], width: row.length }
      dataset.rows.begin(header, file)
      return
    }
    const { rows, width } = dataset
    if (row.length === width) rows.add(row, line)
    else problems.add({ line, reason: `has ${row.length} columns, but the header has ${width}` })
  }
  try {
    await readRows(separatedByCommas(text, countFocusColumns), handleRow, signal)
    position.lines += lastLine
  } catch (error) {
    throw file === undefined ? error : ofFile(error, file)
  }
}

/**
 * Yields the invoices of the bills.
 * @throws ImportError if there are no bills
 */
function* invoicesOf(bills: Iterable<Bill>, options: FocusOptions): Generator<CustomerInvoice> {
  let isEmpty = true
  for (const bill of bills) {
    isEmpty = false
    const invoice = invoiceOf(bill, options, options.now)
    const exact = bill.charges.reduce((sum, { cost }) => sum.plus(cost), new Big(0)).toFixed()
    yield bill.owner ? { owner: bill.owner, invoice, exact } : { invoice, exact }
  }
  if (isEmpty) throw new ImportError([{ reason: 'There are no charges in the file.' }])
}
