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

const NOT_RESOLD = 'has invoices of the vendor, which nobody else can issue: resell the charges'

/** File or part of a bill. */
export type Source = {
  /** Name in problems; empty if there is only one source. */
  name: string
  text: AsyncIterable<string>
}

/** Invoice, with its customer if a map of accounts names one. */
export type CustomerInvoice = {
  owner?: Owner
  invoice: NewInvoice
  /** The sum of its charges before it was rounded to the total; exact decimal text. */
  exact: string
}

export type FocusOptions = Terms & {
  /** Other names of issuers, of the one customer whose charges these are: see `issuerSpellings`. */
  aliases?: ReadonlyMap<string, string> | undefined
  /** Current time, which decides whether a billing period still runs. */
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
 * Reads files of FOCUS (CSV) into invoices, in one pass: parts of one bill are added up, in any order. Cost and Usage
 * of FOCUS 1.0 to 1.4 makes one invoice per issuer and `InvoiceId`, and of the charges without an id one per issuer,
 * billing account, billing period and currency; Invoice Detail of FOCUS 1.4 makes the invoices that it lists. Where
 * both list an invoice, Invoice Detail states the billed amounts, and the charges explain them.
 * @param sources each with its header, of either kind
 * @param handle called with the invoices after all have been read, in an order that does not depend on the sources'
 * order, grouped by customer; a summary for a report; and the charges, in the same order of customers
 * @throws ImportError that lists the problems, by file, line and column; contradictory terms; the accounts that a map
 * lacks; the charges that no price rule covers
 */
export async function readFocus<T>(
  sources: AsyncIterable<Source>,
  options: FocusOptions,
  handle: (invoices: Iterable<CustomerInvoice>, summary: ReadSummary, charges: ChargeStream) => Promise<T>,
): Promise<T> {
  const termsProblems = validateTerms(options)
  if (termsProblems.length > 0) throw new ImportError(termsProblems)
  const before: Before = { lines: 0 }
  const problems = named(problemList(), before)
  const issuers = issuerSpellings(options.aliases)
  const { mostInMemory } = options
  const spool = chargeSpool(options, issuers, mostInMemory)
  // A reseller's customers never see the reseller's costs.
  const onCharge = options.issuer === undefined ? spool.add : undefined
  const collectors = {
    charges: gatherCharges(options, { problems, issuers, mostInMemory, onCharge: onCharge }),
    details: gatherCharges(options, { problems, issuers, mostInMemory }),
  }
  const read = () => bothOf(collectors.details.summary, collectors.charges.summary)
  let stream: ChargeStream | undefined
  try {
    for await (const source of sources) {
      const { rows, used } = read()
      await readSource(source, options, collectors, problems, before)
      options.onSource?.({ rows: read().rows - rows, used: read().used - used })
    }
    problems.throwIfAny()
    collectors.charges.throwIfAny()
    collectors.details.throwIfAny()
    stream = spool.whole()
    const bills = billsOfBoth(collectors.details.bills(), collectors.charges.bills(), issuers)
    return await handle(invoicesOf(bills, options), read(), stream)
  } finally {
    stream?.close()
    spool.close()
    collectors.charges.close()
    collectors.details.close()
  }
}

/** Number of lines of the sources before this one, and the name of the current file. */
type Before = { lines: number; file?: string | undefined }
/** Each of the two kinds is gathered by itself. */
type Collectors = Record<Dataset, ReturnType<typeof gatherCharges>>

/** Returns a problem list that adds the file's name, if it has one, to each problem. */
function named(list: ProblemList, before: Before): ProblemList {
  return { ...list, add: (problem) => list.add(before.file ? { file: before.file, ...problem } : problem) }
}

async function readSource(
  { name, text }: Source,
  { onLine, signal, ...terms }: FocusOptions,
  collectors: Collectors,
  problems: ProblemList,
  before: Before,
): Promise<void> {
  const file = name === '' ? undefined : name
  before.file = file
  let width = 0
  let rows = collectors.charges
  let last = 0
  const handleRow = (row: string[], line: number) => {
    last = line
    onLine?.(before.lines + line)
    if (width === 0) {
      const header = readHeader(row, line)
      if (Array.isArray(header)) throw new ImportError(header)
      if (header.dataset === 'details' && terms.issuer !== undefined)
        throw new ImportError([{ reason: NOT_RESOLD }])
      rows = collectors[header.dataset]
      rows.begin(header, file)
      width = row.length
    } else if (row.length === width) rows.add(row, line)
    else problems.add({ line, reason: `has ${row.length} columns, but the header has ${width}` })
  }
  try {
    await readRows(separatedByCommas(text, countFocusColumns), handleRow, signal)
    before.lines += last
  } catch (error) {
    throw file === undefined ? error : ofFile(error, file)
  }
}

function* invoicesOf(bills: Iterable<Bill>, options: FocusOptions): Generator<CustomerInvoice> {
  let some = false
  for (const bill of bills) {
    some = true
    const invoice = invoiceOf(bill, options, options.now)
    const exact = bill.charges.reduce((sum, { cost }) => sum.plus(cost), new Big(0)).toFixed()
    yield bill.owner ? { owner: bill.owner, invoice, exact } : { invoice, exact }
  }
  if (!some) throw new ImportError([{ reason: 'There are no charges in the file.' }])
}
