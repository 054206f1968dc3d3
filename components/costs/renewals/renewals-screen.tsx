'use client'

import { ChoiceChips } from '#components/lists/filters/choice-chips.tsx'
import { useView } from '#components/lists/filters/use-view.ts'
import { cleared, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { PlatformMark } from '#components/platform/values/platform-mark.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import type { RenewalList } from '#lib/costs/renewals/contract.ts'
import { MonthStrip } from './month-strip.tsx'
import { RenewalSums } from './renewal-sums.tsx'
import { RenewalTable } from './renewal-table.tsx'
import { hrefOf, isFiltered, type View } from './view.ts'

/** A year of months, and the plans whose commitment ends in them. The address holds what is shown. */
export function RenewalsScreen({ view, list }: { view: View; list: RenewalList }) {
  const { isWaiting, go } = useView<View>(view, hrefOf)
  const { months, types, renewals, isWhole, today, ...money } = list
  const narrow = (next: View) => go(next, 'replace')
  if (types.length === 0 && !isFiltered(view)) return <NothingEnds />
  return (
    <>
      {types.length > 1 || view.filter ? <Types view={view} types={types} onChange={narrow} /> : null}
      <MonthStrip months={months} view={view} onGo={narrow} />
      {isWhole ? null : (
        <p className="mb-3 rounded-card bg-info-tint px-4 py-2.5 text-sm text-info">
          These are the 1,000 plans whose commitment ends first.
        </p>
      )}
      <RenewalSums {...money} month={view.month} count={renewals.length} />
      {renewals.length > 0 ? (
        <RenewalTable
          renewals={renewals}
          hasPrices={money.unpriced !== undefined}
          today={today}
          busy={isWaiting}
        />
      ) : (
        <Card>
          <EmptyState
            title="Nothing matches"
            action={<Button onClick={() => narrow(cleared(view))}>Clear filters</Button>}
          >
            <p>No commitment of these types ends then.</p>
          </EmptyState>
        </Card>
      )}
    </>
  )
}

function Types({
  view,
  types,
  onChange,
}: {
  view: View
  types: RenewalList['types']
  onChange: (view: View) => void
}) {
  const chosen = valuesOf(view, 'type')
  const missing = chosen.filter((type) => types.every((one) => one.type !== type))
  const offered = [...types, ...missing.map((type) => ({ type, count: 0 }))]
  return (
    <div className="mb-3">
      <ChoiceChips
        legend="Type"
        isAll={chosen.length === 0}
        count={types.reduce((sum, { count }) => sum + count, 0)}
        choices={offered.map(({ type, count }) => ({
          value: type,
          name: <PlatformMark slug={type} />,
          isOn: chosen.includes(type),
          count,
        }))}
        onAll={() => onChange(withValues(view, 'type', []))}
        onToggle={(type) => onChange(toggled(view, 'type', type))}
      />
    </div>
  )
}

function NothingEnds() {
  return (
    <Card>
      <EmptyState title="No commitment ends in the next twelve months">
        <p>Plans with a commitment stand here from a year before it ends.</p>
      </EmptyState>
    </Card>
  )
}
