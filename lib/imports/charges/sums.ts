import Big from 'big.js'
import type { LineSum } from '#lib/billing/charges/reconciliation.ts'
import type { Charge } from './charge.ts'

type Tally = { count: number; amount: Big }
const nothing = (): Tally => ({ count: 0, amount: new Big(0) })

/** Adds up charges that come line by line, exactly. */
export function lineSums() {
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
      const own = charge.detail ?? null
      if (own !== detail) {
        end()
        detail = own
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
    /** How many lines there are by now, but for the one at hand. */
    size: () => lines.length,
    /** All of them, and what they come to together. */
    end(): { count: number; amount: string; lines: LineSum[] } {
      end()
      return { ...textOf(total), lines }
    },
  }
}

function textOf({ count, amount }: Tally) {
  return { count, amount: amount.eq(0) ? '0' : amount.toFixed() }
}
