import { Money } from '#components/platform/values/money.tsx'
import type { RenewalList } from '#lib/costs/renewals/contract.ts'
import { plansText } from '#lib/costs/renewals/words.ts'
import { monthAndYear } from '#lib/platform/values/days.ts'
import { beginOf } from './view.ts'

type Given = Pick<RenewalList, 'sums' | 'unpriced'> & {
  /** The month that is chosen, as in `2026-12`. */
  month: string | undefined
  /** Of the plans below. */
  count: number
}

/** How many plans are below, and for who may see prices what they come to in a year, each currency by itself. */
export function RenewalSums({ sums, unpriced = 0, month, count }: Given) {
  const when = month === undefined ? 'in the twelve months' : `in ${monthAndYear(beginOf(month))}`
  return (
    <div className="mb-3 flex flex-wrap gap-x-6 gap-y-1 text-sm text-ink-2">
      <p role="status" className="font-[550] text-ink">
        {plansText(count)} {when}
      </p>
      {sums.length + unpriced > 0 ? (
        <ul aria-label="In a year, at the last prices" className="contents">
          {sums.map(({ currency, amount, idleAmount }) => (
            <li key={currency}>
              <span className="font-[550] text-ink">
                <Money amount={amount} currency={currency} />
              </span>{' '}
              a year at the last prices
              {idleAmount > 0 ? (
                <>
                  , <Money amount={idleAmount} currency={currency} /> of it idle
                </>
              ) : null}
            </li>
          ))}
          {unpriced > 0 ? <li>No price for a year is known of {plansText(unpriced)}.</li> : null}
        </ul>
      ) : null}
    </div>
  )
}
