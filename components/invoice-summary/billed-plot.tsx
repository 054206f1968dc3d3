import { useState } from 'react'
import type { View } from '#components/invoices/view.ts'
import { hasOwnHue, PlatformMark } from '#components/platform/platform-mark.tsx'
import { Card } from '#components/ui/card.tsx'
import { ToggleChip } from '#components/ui/chip.tsx'
import type { CurrencySummary } from '#lib/invoices/contract.ts'
import { barsOf, MOST_MONTHS, platformsOf } from './billed.ts'
import { BilledBars } from './billed-bars.tsx'
import { BilledTable } from './billed-table.tsx'

/** What was billed per month and platform, of one currency at a time: as bars, and to be read. */
export function BilledPlot({
  currencies,
  view,
  onGo,
}: {
  currencies: readonly CurrencySummary[]
  view: View
  onGo: (view: View) => void
}) {
  const [wanted, setWanted] = useState('')
  const [pointed, setPointed] = useState<string>()
  const shown = currencies.find(({ currency }) => currency === wanted) ?? currencies[0]
  if (!shown) return null
  const { currency, months } = shown
  const bars = barsOf(months)
  const isCut = (months[0]?.month ?? 0) < (bars[0]?.month ?? 0)
  return (
    <Card className="mb-4.5 px-4 pt-3.5">
      <section aria-label="Billed per month">
        <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <h2 className="font-semibold">Billed per month</h2>
            {currencies.length > 1 ? (
              <fieldset className="flex flex-wrap gap-2">
                <legend className="sr-only">Currency</legend>
                {currencies.map((one) => (
                  <ToggleChip
                    key={one.currency}
                    pressed={one.currency === currency}
                    onToggle={() => setWanted(one.currency)}
                  >
                    {one.currency}
                  </ToggleChip>
                ))}
              </fieldset>
            ) : null}
            <span className={`text-xs text-ink-3 ${currencies.length > 1 ? 'hidden print:inline' : ''}`}>
              {currency}
            </span>
          </div>
          <Legend platforms={platformsOf(months)} />
        </div>
        <BilledBars bars={bars} currency={currency} view={view} onGo={onGo} onPoint={setPointed} />
        <p className="min-h-8 content-center print:hidden text-xs text-ink-3 tabular-nums">
          {pointed ??
            (isCut
              ? `The last ${MOST_MONTHS} months; the table has all.`
              : 'Each bar leads to its invoices.')}
        </p>
        <BilledTable months={months} currency={currency} view={view} onGo={onGo} />
      </section>
    </Card>
  )
}

/** Platforms without a hue of their own share one, and so a place. */
function Legend({ platforms }: { platforms: readonly string[] }) {
  const others = platforms.filter((slug) => !hasOwnHue(slug))
  const named = others.length > 1 ? platforms.filter(hasOwnHue) : platforms
  return (
    <ul className="flex flex-wrap gap-x-3.5 gap-y-1 text-xs text-ink-2">
      {named.map((slug) => (
        <li key={slug}>
          <PlatformMark slug={slug} />
        </li>
      ))}
      {others.length > 1 ? (
        <li>
          <PlatformMark slug={others[0] ?? ''} name={`${others.length} other platforms`} />
        </li>
      ) : null}
    </ul>
  )
}
