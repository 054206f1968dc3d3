import type { ComponentProps, ReactNode } from 'react'
import { ChoiceChips } from './choice-chips.tsx'
import { DateFilterMenu } from './date-filter.tsx'

/** Filters of a history list: a range of days, a few choices, and finally the other active filters. */
export function HistoryFilters({
  when,
  which,
  children,
}: {
  when: ComponentProps<typeof DateFilterMenu>
  which: ComponentProps<typeof ChoiceChips>
  children: ReactNode
}) {
  return (
    <search className="relative mb-3 flex flex-wrap items-center gap-2">
      <DateFilterMenu {...when} />
      <ChoiceChips {...which} />
      {children}
    </search>
  )
}
