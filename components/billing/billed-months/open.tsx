import { type ReactNode, useState } from 'react'
import type { View } from '#components/billing/invoices/view.ts'
import { hasPlatformColor, PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { ToggleChip } from '#components/ui/chip.tsx'
import { ticksBetween } from '#components/ui/ticks.ts'
import type { CurrencySummary } from '#lib/billing/invoices/contract.ts'
import { AmountNames, MonthNames } from './axes.tsx'
import { BilledBars } from './bars.tsx'
import { barsOf, MAX_MONTHS, platformsOf } from './months.ts'
import { endsOf, scaleOf } from './scale.ts'
import { BilledTable } from './table.tsx'

const PLOT = { top: 8, height: 150 }

/** Props of the plot of one currency, with the title that collapses it. */
export type BilledChartProps = {
  /** Id that the toggle button refers to. */
  id: string
  summary: CurrencySummary
  toggle: ReactNode
  /** All currencies, to select another one. */
  currencies: readonly CurrencySummary[]
  onChoose: (currency: string) => void
  view: View
  onNavigate: (view: View) => void
}

/** Plot of all months, as bars with their amounts and as a table. */
export function BilledOpen({
  id,
  summary: { currency, months },
  toggle,
  currencies,
  onChoose,
  ...rest
}: BilledChartProps) {
  const [pointed, setPointed] = useState<string>()
  const bars = barsOf(months)
  const ticks = ticksBetween(...endsOf(bars))
  const scale = scaleOf(bars, [ticks[0] ?? 0, ticks.at(-1) ?? 1], PLOT)
  const isCut = (months[0]?.month ?? 0) < (bars[0]?.month ?? 0)
  const note = isCut
    ? `The last ${MAX_MONTHS} months; the table has all.`
    : 'Select a bar to see its invoices.'
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          {toggle}
          {currencies.length > 1 ? (
            <Currencies currencies={currencies} selected={currency} onChoose={onChoose} />
          ) : (
            <span className="text-xs text-ink-3">{currency}</span>
          )}
        </div>
        <Legend platforms={platformsOf(months)} />
      </div>
      <div id={id}>
        <div className="flex gap-2">
          <AmountNames ticks={ticks} scale={scale} />
          <div className="min-w-0 flex-1">
            <BilledBars
              {...rest}
              bars={bars}
              currency={currency}
              scale={scale}
              lines={ticks}
              onHover={setPointed}
            />
            <MonthNames bars={bars} scale={scale} />
          </div>
        </div>
        <p className="min-h-8 content-center text-xs text-ink-3 tabular-nums print:hidden">
          {pointed ?? note}
        </p>
        <BilledTable {...rest} months={months} currency={currency} />
      </div>
    </>
  )
}

/** Selects the currency of the plot, if there are several. */
function Currencies({
  currencies,
  selected,
  onChoose,
}: {
  currencies: readonly CurrencySummary[]
  selected: string
  onChoose: (currency: string) => void
}) {
  return (
    <>
      <fieldset className="flex flex-wrap gap-2 print:hidden">
        <legend className="sr-only">Currency</legend>
        {currencies.map(({ currency }) => (
          <ToggleChip key={currency} selected={currency === selected} onToggle={() => onChoose(currency)}>
            {currency}
          </ToggleChip>
        ))}
      </fieldset>
      <span className="hidden text-xs text-ink-3 print:inline">{selected}</span>
    </>
  )
}

/** Legend of hues and platforms. Platforms without a hue of their own share one entry. */
function Legend({ platforms }: { platforms: readonly string[] }) {
  const others = platforms.filter((slug) => !hasPlatformColor(slug))
  const named = others.length > 1 ? platforms.filter(hasPlatformColor) : platforms
  return (
    <ul className="flex flex-wrap gap-x-3.5 gap-y-1 text-xs text-ink-2">
      {named.map((slug) => (
        <li key={slug}>
          <PlatformIcon slug={slug} />
        </li>
      ))}
      {others.length > 1 ? (
        <li>
          <PlatformIcon slug={others[0] ?? ''} name={`${others.length} other platforms`} />
        </li>
      ) : null}
    </ul>
  )
}
