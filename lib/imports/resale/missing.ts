import Big from 'big.js'
import { ImportError, MAX_PROBLEMS } from '../import-error.ts'

/** Charges that can't be invoiced for one and the same reason. */
export type Lack = { add(cost: Big): void }

/** Most subjects that are reported individually: bounds the memory for any file. */
const MAX_SUBJECTS = 50_000

/** Collects the gaps in an operator's own files, to report all of them together with their amounts. */
export function missingList(reason: string) {
  const bySubject = new Map<string, { count: number; sums: Map<string, Big> }>()
  let isCut = false
  return {
    /** Returns the entry of a subject, such as an account, in one currency. */
    entryFor(subject: string, currency: string): Lack {
      const entry = bySubject.get(subject) ?? { count: 0, sums: new Map<string, Big>() }
      if (bySubject.size < MAX_SUBJECTS) bySubject.set(subject, entry)
      else if (!bySubject.has(subject)) isCut = true
      return {
        add(cost) {
          entry.count += 1
          entry.sums.set(currency, (entry.sums.get(currency) ?? new Big(0)).plus(cost))
        },
      }
    },
    /** @throws ImportError that names those with the most charges, followed by those with the largest amounts */
    throwIfAny(): void {
      if (bySubject.size === 0) return
      const heaviest = [...bySubject]
        .map(([subject, { count, sums }]) => ({ subject, count, sums }))
        .sort((a, b) => b.count - a.count || weightOf(b.sums).cmp(weightOf(a.sums)))
      const problems = heaviest.slice(0, MAX_PROBLEMS).map(({ subject, count, sums }) => {
        const money = [...sums].map(([currency, sum]) => `${sum.toFixed()} ${currency}`).join(', ')
        return { subject, reason: `${reason} (${count} ${count === 1 ? 'charge' : 'charges'}, ${money})` }
      })
      const more = heaviest.length - problems.length
      const rest = { reason: `and ${isCut ? 'more than ' : ''}${more} more` }
      throw new ImportError(more > 0 ? [...problems, rest] : problems)
    },
  }
}

function weightOf(sums: ReadonlyMap<string, Big>): Big {
  return [...sums.values()].reduce((most, sum) => (sum.abs().gt(most) ? sum.abs() : most), new Big(0))
}
