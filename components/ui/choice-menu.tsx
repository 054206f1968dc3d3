import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { FILTER_BUTTON, FILTER_MENU } from './filter-button.ts'
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
      {() => (
        <fieldset className="max-h-96 overflow-y-auto">
          <legend className="sr-only">{label}</legend>
          {choices.map(({ value, name }) => (
            <label
              key={value}
              className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.75 text-sm hover:bg-sunken max-md:py-2.5"
            >
              <input
                type="checkbox"
                checked={chosen.includes(value)}
                onChange={() => onToggle(value)}
                className="size-4 shrink-0 accent-accent"
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
    </Menu>
  )
}
