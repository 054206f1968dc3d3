'use client'

import { PlatformMark } from '#components/platform/platform-mark.tsx'
import { ToggleChip } from '#components/ui/chip.tsx'
import { SearchInput } from '#components/ui/search-input.tsx'

/** What the list is narrowed to. */
export type Narrowing = { types: readonly string[]; search: string }

/** Search, and a chip per type with how many assets it has within the search. */
export function AssetFilters({
  narrowing: { types, search },
  counts,
  onNarrow,
}: {
  narrowing: Narrowing
  counts: readonly { type: string; count: number }[]
  onNarrow: (next: Narrowing) => void
}) {
  const missing = types.filter((type) => counts.every((one) => one.type !== type))
  const chips = [...counts, ...missing.map((type) => ({ type, count: 0 }))]
  const all = counts.reduce((sum, { count }) => sum + count, 0)
  const toggle = (type: string) => {
    const others = types.filter((one) => one !== type)
    onNarrow({ search, types: others.length < types.length ? others : [...types, type] })
  }
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <SearchInput
        label="Name, domain or ID"
        value={search}
        onSearch={(text) => text === search || onNarrow({ types, search: text })}
      />
      <fieldset className="flex min-w-0 flex-wrap gap-2">
        <legend className="sr-only">Type</legend>
        <ToggleChip pressed={types.length === 0} count={all} onToggle={() => onNarrow({ search, types: [] })}>
          All
        </ToggleChip>
        {chips.map(({ type, count }) => (
          <ToggleChip key={type} pressed={types.includes(type)} count={count} onToggle={() => toggle(type)}>
            <PlatformMark slug={type} />
          </ToggleChip>
        ))}
      </fieldset>
    </search>
  )
}
