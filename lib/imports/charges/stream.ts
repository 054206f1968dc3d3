import type { ChargeSet } from '#lib/billing/charges/reconciliation.ts'
import type { Charge } from './charge.ts'
import { readLines } from './runs.ts'

/** The charges of one bill; `digest` is the same for the same charges, in whatever order they came. */
export type Kept = ChargeSet & {
  issuer: string
  number: string
  digest: string
  /** In the order in which they are shown. To be read to its end before the next bill, or not at all. */
  charges(): Generator<Charge>
}
/** The same without the charges, as it is put aside; empty: no map of accounts names a customer. */
export type Head = Omit<Kept, 'charges'> & { customer: string }
/** Where both stand, in one order. */
export type Files = { heads: string; charges: string }

export type ChargeStream = {
  /** The bills of a customer as the map of accounts names it; empty where there is no map. */
  of(customer: string): Generator<Kept>
  close(): void
}

/** Reads both as they are asked for. */
export function streamOf(files: Files): ChargeStream {
  const heads = readLines<Head>(files.heads)
  const lines = readLines<Charge>(files.charges)
  let next = heads.next()
  let at = 0
  let start = 0
  return {
    *of(customer) {
      while (!next.done && next.value.customer <= customer) {
        const { customer: whose, ...head } = next.value
        const from = start
        start += head.count
        next = heads.next()
        if (whose === customer) yield { ...head, charges: () => chargesFrom(from, head.count) }
      }
    },
    close() {
      heads.return(undefined)
      lines.return(undefined)
    },
  }

  /** What was not asked for is passed over. */
  function* chargesFrom(from: number, count: number): Generator<Charge> {
    for (; at < from; at++) lines.next()
    for (; at < from + count; at++) {
      const { value } = lines.next()
      if (value) yield value
    }
  }
}
