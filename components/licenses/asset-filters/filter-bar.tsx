'use client'

import type { ReactNode } from 'react'
import { statusText } from '#components/licenses/assets/labels.ts'
import { isFiltered, type View } from '#components/licenses/assets/view.ts'
import { comingPresets } from '#components/lists/filters/date-range.ts'
import { dateFilter, filtersOf } from '#components/lists/filters/filter.tsx'
import { FilterBar } from '#components/lists/filters/filter-bar.tsx'
import { type PlatformCount, platformOption } from '#components/lists/filters/platform-option.tsx'
import { changed } from '#components/lists/filters/view.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { PLAN_KINDS, USAGES } from '#lib/licenses/assets/rules.ts'
import { DAY_MS } from '#lib/platform/values/days.ts'
import { type FilterChoices, planKindName, renewalOf, USAGE_NAMES, usageName } from './labels.ts'

/** Filters of assets, and the list's tools. Each type has its number of assets within the other filters. */
export function AssetFilters({
  view,
  counts,
  choices,
  today,
  onChange,
  children,
}: {
  view: View
  counts: readonly PlatformCount[]
  choices: FilterChoices
  today: number
  onChange: (view: View, how?: 'push' | 'replace') => void
  children: ReactNode
}) {
  const by = filtersOf(view, onChange)
  return (
    <FilterBar
      view={view}
      isFiltered={isFiltered(view)}
      searchLabel="Name, domain or ID"
      main={[
        by('type', platformOption(counts)),
        by('status', {
          label: 'Status',
          several: 'statuses',
          options: choices.statuses,
          nameOf: (status) => escapeInvisible(statusText(status)),
        }),
      ]}
      filters={[
        by('plan', {
          label: 'Plan',
          several: 'plans',
          options: PLAN_KINDS,
          nameOf: (kind) => escapeInvisible(planKindName(kind)),
        }),
        dateFilter({
          label: 'Renewal',
          range: renewalOf(view),
          today,
          presets: comingPresets,
          onChange: ({ from, to }) =>
            onChange(
              changed(view, {
                minRenewalTime: from,
                maxRenewalTime: to === undefined ? undefined : to + DAY_MS - 1,
              }),
            ),
        }),
        by('usage', {
          label: 'Usage',
          several: 'usages',
          options: USAGES,
          nameOf: usageName,
          renderOption: (usage) => USAGE_NAMES[usage as keyof typeof USAGE_NAMES],
        }),
        by('domain', {
          label: 'Domain',
          several: 'domains',
          options: choices.domains,
          nameOf: escapeInvisible,
        }),
      ]}
      onChange={onChange}
    >
      {children}
    </FilterBar>
  )
}
