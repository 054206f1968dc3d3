import { createHash } from 'node:crypto'
import Big from 'big.js'
import type { IssuerSpellings } from '#lib/imports/focus/issuer-spellings.ts'
import type { LineSum } from '#lib/platform/db/schema/invoices/charges.ts'
import { numberOf } from '../focus/invoice.ts'
import { MAX_GROUPS, parseBillKey } from '../focus/merge.ts'
import { ImportError } from '../import-error.ts'
import type { Charge } from './charge.ts'
import { aside, lineWriter, readLines, sortedRuns } from './runs.ts'

/** The charges of one bill; `digest` is the same for the same charges, in whatever order they came. */
export type SpooledCharges = {
  count: number
  amount: string
  currency: string
  lines: readonly LineSum[]
  issuer: string
  number: string
  digest: string
  /** Yields the charges in display order. To be read to the end before the next bill, or not at all. */
  charges(): Generator<Charge>
}
/**
 * Header of a bill as it is spooled, without the charges; an empty customer means that no map of accounts names one.
 */
type SpooledHeader = Omit<SpooledCharges, 'charges'> & { customer: string }
/** Paths of the spooled headers and charges, both in the same order. */
type Files = { headers: string; charges: string }

export type ChargeStream = {
  /** The bills of a customer as the map of accounts names it; empty where there is no map. */
  forCustomer(customer: string): Generator<SpooledCharges>
  close(): void
}

/** A charge takes some 500 bytes; charges beyond this number go to a temporary file. */
const MAX_IN_MEMORY = 50_000

type NumberTerms = Parameters<typeof numberOf>[1]
type Written = { currency: string; charge: Charge }

/**
 * Spools the charges of files during the read, sorted by bill, by line and by descending amount, in bounded memory. The
 * caller closes the spool.
 * @param terms by which bills are numbered
 * @param issuers names the issuers of the keys of bills
 */
export function chargeSpool(terms: NumberTerms, issuers: IssuerSpellings, mostInMemory = MAX_IN_MEMORY) {
  const runs = sortedRuns<Written>((written) => written)
  const folder = aside()
  let waiting: [key: string, written: Written][] = []

  const flush = () => {
    if (waiting.length > 0) runs.put(waiting)
    waiting = []
  }

  return {
    /** @param bill as `billKey` returns it */
    add(bill: string, currency: string, charge: Charge): void {
      waiting.push([keyOf(bill, charge), { currency, charge }])
      if (waiting.length >= mostInMemory) flush()
    },
    /**
     * All that was added, customer by customer, in the order in which their invoices come.
     * @throws ImportError where one bill's charges lead to more than 100,000 lines
     */
    whole(): ChargeStream {
      flush()
      if (runs.isEmpty()) return { forCustomer: function* () {}, close: () => undefined }
      const files = { headers: folder.path('heads'), charges: folder.path('charges') }
      write(runs.sorted(), files, (last) => headerOf(last, terms, issuers))
      return streamOf(files)
    },
    close(): void {
      runs.close()
      folder.close()
    },
  }
}

type Last = {
  bill: string
  currency: string
  sums: ReturnType<typeof lineSums>
  hash: ReturnType<typeof createHash>
}

/** Writes the charges in their order into one file, and the totals of each bill into another one. */
function write(
  all: Iterable<[key: string, written: Written]>,
  files: Files,
  toHead: (last: Last) => SpooledHeader,
): void {
  const [headers, lines] = [lineWriter(files.headers), lineWriter(files.charges)]
  let last: Last | undefined
  try {
    for (const [key, { currency, charge }] of all) {
      const bill = key.slice(0, key.indexOf(END))
      if (last?.bill !== bill) {
        if (last) headers.write(toHead(last))
        last = { bill, currency, sums: lineSums(), hash: createHash('sha256') }
      }
      last.hash.update(key)
      last.sums.add(charge)
      if (last.sums.size() > MAX_GROUPS) throw tooMany(bill)
      lines.write(charge)
    }
    if (last) headers.write(toHead(last))
  } finally {
    headers.end()
    lines.end()
  }
}

function headerOf(
  { bill, currency, sums, hash }: Last,
  terms: NumberTerms,
  issuers: IssuerSpellings,
): SpooledHeader {
  const { customer, ...billHeader } = parseBillKey(bill)
  const issuer = issuers.nameOf(billHeader.issuer)
  const number = numberOf({ ...billHeader, issuer, currency }, terms)
  return { customer, issuer, number, currency, digest: hash.digest('hex'), ...sums.end() }
}

function tooMany(bill: string): ImportError {
  const { invoiceId, issuer } = parseBillKey(bill)
  const reason = `its charges lead to more than ${MAX_GROUPS} lines`
  return new ImportError([{ subject: `invoice ${invoiceId ?? `of ${issuer}`}`, reason }])
}

/** Between the parts of a key: no cell that is kept has it. */
const END = '\u0000'

/** Returns the sort key: bill, line, descending amount, and then all fields, so that equal files sort equally. */
function keyOf(bill: string, charge: Charge): string {
  return [bill, charge.detail ?? '', descending(Number(charge.cost)), JSON.stringify(charge)].join(END)
}

const view = new DataView(new ArrayBuffer(8))
const SIGN = 1n << 63n
const ALL = (1n << 64n) - 1n

/** A number as text whose order is the other way round. */
function descending(value: number): string {
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const ascending = bits & SIGN ? bits ^ ALL : bits | SIGN
  return (ALL - ascending).toString(16).padStart(16, '0')
}

type Tally = { count: number; amount: Big }
const nothing = (): Tally => ({ count: 0, amount: new Big(0) })

/** Adds up charges that come line by line, exactly. */
function lineSums() {
  const lines: LineSum[] = []
  const total = nothing()
  let detail: string | null | undefined
  let [line, corrections, categories] = [nothing(), nothing(), new Map<string, Tally>()]
  const end = () => {
    if (line.count === 0 || detail === undefined) return
    lines.push({
      detail,
      from: total.count - line.count,
      ...textOf(line),
      corrections: textOf(corrections),
      categories: [...categories].map(([category, { count, amount }]) => [category, count, amount.toFixed()]),
    })
  }
  return {
    add(charge: Charge): void {
      const detailId = charge.detail ?? null
      if (detailId !== detail) {
        end()
        detail = detailId
        ;[line, corrections, categories] = [nothing(), nothing(), new Map()]
      }
      const category = categories.get(charge.category) ?? nothing()
      categories.set(charge.category, category)
      const isCorrection = charge.class?.toLowerCase() === 'correction'
      for (const tally of [total, line, category, ...(isCorrection ? [corrections] : [])]) {
        tally.count += 1
        tally.amount = tally.amount.plus(charge.cost)
      }
    },
    /** Returns the number of lines so far, without the current one. */
    size: () => lines.length,
    /** Returns the number of lines, their total and their sums. */
    end(): { count: number; amount: string; lines: LineSum[] } {
      end()
      return { ...textOf(total), lines }
    },
  }
}

function textOf({ count, amount }: Tally) {
  return { count, amount: amount.eq(0) ? '0' : amount.toFixed() }
}

/** Reads both as they are asked for. */
function streamOf(files: Files): ChargeStream {
  const headers = readLines<SpooledHeader>(files.headers)
  const lines = readLines<Charge>(files.charges)
  let next = headers.next()
  let at = 0
  let start = 0
  return {
    *forCustomer(customer) {
      while (!next.done && next.value.customer <= customer) {
        const { customer: whose, ...set } = next.value
        const from = start
        start += set.count
        next = headers.next()
        if (whose === customer) yield { ...set, charges: () => chargesFrom(from, set.count) }
      }
    },
    close() {
      headers.return(undefined)
      lines.return(undefined)
    },
  }

  /** Yields the requested charges and skips the others. */
  function* chargesFrom(from: number, count: number): Generator<Charge> {
    for (; at < from; at++) lines.next()
    for (; at < from + count; at++) {
      const { value } = lines.next()
      if (value) yield value
    }
  }
}
