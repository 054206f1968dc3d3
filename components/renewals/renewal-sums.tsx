import { Money } from '#components/money/money.tsx'
import type { RenewalList } from '#lib/renewals/contract.ts'

/** What the plans below come to in a year, each currency by itself; nothing for who may not see prices. */
export function RenewalSums({ sums, unpriced }: Pick<RenewalList, 'sums' | 'unpriced'>) {
  if (unpriced === undefined || sums.length + unpriced === 0) return null
  return (
    <section aria-label="In a year, at the last prices" className="mb-3 text-sm text-ink-2">
      <ul className="flex flex-wrap gap-x-6 gap-y-1">
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
        {unpriced > 0 ? (
          <li>
            {unpriced === 1
              ? 'Of one plan no price for a year is known.'
              : `Of ${unpriced.toLocaleString('en')} plans no price for a year is known.`}
          </li>
        ) : null}
      </ul>
    </section>
  )
}
