import Big from 'big.js'
import { type ImportProblem, ImportRefused } from '#lib/imports/refused.ts'
import type { NewInvoice } from '#lib/imports/shapes.ts'
import { readRows } from '../csv-rows.ts'
import { ofFile, type ProblemList, problemList } from '../problem-list.ts'
import type { Owner } from '../resale/accounts.ts'
import type { Bill } from './bill.ts'
import { gatherCharges } from './charges.ts'
import { type Dataset, knownColumns, readHeader } from './columns.ts'
import { invoiceOf } from './invoice.ts'
import type { Reading } from './reading.ts'
import { separatedByCommas } from './separator.ts'
import { type Terms, termsFaults } from './terms.ts'

/** One file or part of a bill. */
export type Source = {
  /** As problems tell it; empty where there is no other. */
  name: string
  text: AsyncIterable<string>
}

/** An invoice, and whose it is where a map of accounts tells. */
export type OwnedInvoice = {
  owner?: Owner
  invoice: NewInvoice
  /** The sum of its charges before it was rounded to the total; exact decimal text. */
  exact: string
}

export type FocusOptions = Terms & {
  /** Whether a billing period still runs. */
  now: Date
  /** Told the lines that are read so far, of all sources together, for a display of progress. */
  onLine?: (line: number) => void
  /** Told of each source, once it is read, its rows and how many of them are in an invoice. */
  onSource?: (read: Pick<Reading, 'rows' | 'used'>) => void
  signal?: AbortSignal
  /** How many lines of invoices are gathered in memory. */
  mostInMemory?: number
}

/**
 * Reads files of FOCUS (CSV) into invoices, as one reading: parts of one bill are added up, in whatever order they come.
 * Cost and Usage of FOCUS 1.0 to 1.4 gives one invoice per issuer and `InvoiceId`, and of the charges without one per
 * issuer, billing account, billing period and currency; Invoice Detail of FOCUS 1.4 the invoices that it tells of.
 * @param sources each with a header of its own, and all of the same of the two kinds
 * @param take is given the invoices once all has been read, in one order that does not depend on that of the sources,
 * all of a customer's one after another; and what was read, for a report
 * @throws ImportRefused that lists what is wrong, by file, line and column; the terms that contradict each other; the
 * accounts that a map lacks; the charges that no price rule covers
 */
export async function readFocus<T>(
  sources: AsyncIterable<Source>,
  options: FocusOptions,
  take: (invoices: Iterable<OwnedInvoice>, reading: Reading) => Promise<T>,
): Promise<T> {
  const faults = termsFaults(options)
  if (faults.length > 0) throw new ImportRefused(faults)
  const before: Before = { lines: 0 }
  const problems = named(problemList(), before)
  const charges = gatherCharges(options, problems, options.mostInMemory)
  try {
    for await (const source of sources) {
      const { rows, used } = charges.reading
      await readSource(source, options, charges, problems, before)
      options.onSource?.({ rows: charges.reading.rows - rows, used: charges.reading.used - used })
    }
    problems.refuseIfAny()
    charges.refuseIfAny()
    return await take(invoicesOf(charges.bills(), options), charges.reading)
  } finally {
    charges.close()
  }
}

/** What is known of the sources before this one, and the file that is read now. */
type Before = { lines: number; dataset?: Dataset; name?: string; file?: string | undefined }
type Charges = ReturnType<typeof gatherCharges>

/** Each problem tells its file, where files have names. */
function named(list: ProblemList, before: Before): ProblemList {
  return { ...list, add: (problem) => list.add(before.file ? { file: before.file, ...problem } : problem) }
}

async function readSource(
  { name, text }: Source,
  { onLine, signal, ...terms }: FocusOptions,
  charges: Charges,
  problems: ProblemList,
  before: Before,
): Promise<void> {
  const file = name === '' ? undefined : name
  before.file = file
  let width = 0
  let last = 0
  const takeRow = (row: string[], line: number) => {
    last = line
    onLine?.(before.lines + line)
    if (width === 0) {
      const header = readHeader(row, line)
      if (Array.isArray(header)) throw new ImportRefused(header)
      const faults = datasetFaults(header.dataset, before, terms)
      if (faults.length > 0) throw new ImportRefused(faults)
      before.dataset = header.dataset
      before.name = name
      charges.begin(header, file)
      width = row.length
    } else if (row.length === width) charges.add(row, line)
    else problems.add({ line, reason: `has ${row.length} columns, but the header has ${width}` })
  }
  try {
    await readRows(separatedByCommas(text, knownColumns), takeRow, signal)
    before.lines += last
  } catch (error) {
    throw file === undefined ? error : ofFile(error, file)
  }
}

function datasetFaults(dataset: Dataset, before: Before, { issuer }: Terms): ImportProblem[] {
  if (dataset === 'details' && issuer !== undefined)
    return [{ reason: 'has invoices of the vendor, which nobody else can issue: resell the charges' }]
  if (before.dataset === undefined || before.dataset === dataset) return []
  const [is, was] = dataset === 'details' ? ['invoice details', 'charges'] : ['charges', 'invoice details']
  return [{ reason: `has ${is}, but ${before.name} has ${was}: import them apart` }]
}

function* invoicesOf(bills: Iterable<Bill>, options: FocusOptions): Generator<OwnedInvoice> {
  let some = false
  for (const bill of bills) {
    some = true
    const invoice = invoiceOf(bill, options, options.now)
    const exact = bill.charges.reduce((sum, { cost }) => sum.plus(cost), new Big(0)).toFixed()
    yield bill.owner ? { owner: bill.owner, invoice, exact } : { invoice, exact }
  }
  if (!some) throw new ImportRefused([{ reason: 'There are no charges in the file.' }])
}
