'use client'

import { ChoiceChips } from '#components/filters/choice-chips.tsx'
import { changed, toggled, valuesOf, withValues } from '#components/filters/view.ts'
import { PlatformMark } from '#components/platform/platform-mark.tsx'
import { SearchInput } from '#components/ui/search-input.tsx'
import type { View } from './view.ts'

/** Search, and a chip per type with how many assets it has within the search. */
export function AssetFilters({
  view,
  counts,
  onChange,
}: {
  view: View
  counts: readonly { type: string; count: number }[]
  onChange: (view: View) => void
}) {
  const { search = '' } = view
  const types = valuesOf(view, 'type')
  const missing = types.filter((type) => counts.every((one) => one.type !== type))
  const offered = [...counts, ...missing.map((type) => ({ type, count: 0 }))]
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <SearchInput
        label="Name, domain or ID"
        value={search}
        onSearch={(text) => text === search || onChange(changed(view, { search: text }))}
      />
      <ChoiceChips
        legend="Type"
        isAll={types.length === 0}
        count={counts.reduce((sum, { count }) => sum + count, 0)}
        choices={offered.map(({ type, count }) => ({
          value: type,
          name: <PlatformMark slug={type} />,
          isOn: types.includes(type),
          count,
        }))}
        onAll={() => onChange(withValues(view, 'type', []))}
        onToggle={(type) => onChange(toggled(view, 'type', type))}
      />
    </search>
  )
}
