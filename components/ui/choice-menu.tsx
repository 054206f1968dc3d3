import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { FILTER_BUTTON, FILTER_MENU } from './filter-button.ts'
import { Choices } from './filter-menu.tsx'
import { Menu } from './menu.tsx'

/** A filter of which any number of values can be on. `summary` says in short which are. */
export function ChoiceMenu({
  label,
  summary,
  choices,
  chosen,
  onToggle,
}: {
  label: string
  summary: string
  choices: readonly { value: string; name: ReactNode }[]
  chosen: readonly string[]
  onToggle: (value: string) => void
}) {
  return (
    <Menu
      label={`${label}: ${summary}`}
      buttonClassName={FILTER_BUTTON}
      rootClassName={FILTER_MENU}
      button={
        <>
          <span className="max-w-60 truncate">{summary}</span>
          <ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" />
        </>
      }
    >
      {() => <Choices label={label} choices={choices} chosen={chosen} onToggle={onToggle} />}
    </Menu>
  )
}
