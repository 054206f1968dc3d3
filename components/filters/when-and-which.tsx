import type { ComponentProps, ReactNode } from 'react'
import { ChoiceChips } from './choice-chips.tsx'
import { DateFilter } from './date-filter.tsx'

/** The filters of a list of what happened: when, and which of a few choices. */
export function WhenAndWhich({
  when,
  which,
  children,
}: {
  when: ComponentProps<typeof DateFilter>
  which: ComponentProps<typeof ChoiceChips>
  /** What else there is to set of the list. */
  children?: ReactNode
}) {
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <div className="relative">
        <DateFilter {...when} />
      </div>
      <ChoiceChips {...which} />
      {children ? <div className="relative max-md:w-full">{children}</div> : null}
    </search>
  )
}
