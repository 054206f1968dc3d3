import { createHash } from 'node:crypto'
import { numberOf } from '../focus/invoice.ts'
import { headOfKey, MOST_GROUPS } from '../focus/merge.ts'
import { ImportRefused } from '../refused.ts'
import type { Charge } from './charge.ts'
import { END, keyOf } from './order.ts'
import { aside, lineWriter, sortedRuns } from './runs.ts'
import { type ChargeStream, type Files, type Head, streamOf } from './stream.ts'
import { lineSums } from './sums.ts'

/** Each takes some 500 bytes; what is more than these goes to a file for a while. */
const MOST_IN_MEMORY = 50_000

type NumberTerms = Parameters<typeof numberOf>[1]
type Written = { currency: string; charge: Charge }

/**
 * Puts the charges of files aside while these are read, bill by bill and line by line, the dearest first: in bounded
 * memory, however many there are. `close` it in the end.
 * @param terms by which bills are numbered
 */
export function chargeSpool(terms: NumberTerms, mostInMemory = MOST_IN_MEMORY) {
  const runs = sortedRuns<Written>((written) => written)
  const folder = aside()
  let waiting: [key: string, written: Written][] = []

  const flush = () => {
    if (waiting.length > 0) runs.put(waiting)
    waiting = []
  }

  return {
    /** @param bill as `billKey` tells it */
    add(bill: string, currency: string, charge: Charge): void {
      waiting.push([keyOf(bill, charge), { currency, charge }])
      if (waiting.length >= mostInMemory) flush()
    },
    /**
     * All that was added, customer by customer, in the order in which their invoices come.
     * @throws ImportRefused where one bill's charges lead to more than 100,000 lines
     */
    whole(): ChargeStream {
      flush()
      if (runs.isEmpty()) return { of: function* () {}, close: () => undefined }
      const files = { heads: folder.path('heads'), charges: folder.path('charges') }
      write(runs.inOrder(), files, terms)
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

/** Writes the charges in their order into one file, and into another one what those of each bill come to. */
function write(all: Iterable<[key: string, written: Written]>, files: Files, terms: NumberTerms): void {
  const [heads, lines] = [lineWriter(files.heads), lineWriter(files.charges)]
  let last: Last | undefined
  try {
    for (const [key, { currency, charge }] of all) {
      const bill = key.slice(0, key.indexOf(END))
      if (last?.bill !== bill) {
        if (last) heads.write(headOf(last, terms))
        last = { bill, currency, sums: lineSums(), hash: createHash('sha256') }
      }
      last.hash.update(key)
      last.sums.add(charge)
      if (last.sums.size() > MOST_GROUPS) throw tooMany(bill)
      lines.write(charge)
    }
    if (last) heads.write(headOf(last, terms))
  } finally {
    heads.end()
    lines.end()
  }
}

function headOf({ bill, currency, sums, hash }: Last, terms: NumberTerms): Head {
  const { customer, ...known } = headOfKey(bill)
  const number = numberOf({ ...known, currency }, terms)
  return { customer, issuer: known.issuer, number, currency, digest: hash.digest('hex'), ...sums.end() }
}

function tooMany(bill: string): ImportRefused {
  const { invoiceId, issuer } = headOfKey(bill)
  const reason = `its charges lead to more than ${MOST_GROUPS} lines`
  return new ImportRefused([{ subject: `invoice ${invoiceId ?? `of ${issuer}`}`, reason }])
}
