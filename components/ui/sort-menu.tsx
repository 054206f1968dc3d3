import { ArrowDownUp } from 'lucide-react'
import { SelectMenu, type SelectOption } from './select-menu.tsx'

/**
 * Sort menu for a list without column headers, as on phones, or with headers for only some of its orders.
 * @param isAlways also on wide screens, for a list with orders that no header offers
 */
export function SortMenu({
  choices,
  isAlways = false,
}: {
  choices: readonly SelectOption[]
  isAlways?: boolean
}) {
  return (
    <SelectMenu
      label="Order"
      rootClassName={isAlways ? 'relative print:hidden' : 'xl:hidden'}
      icon={<ArrowDownUp aria-hidden="true" className="size-3.5 text-ink-3" />}
      options={choices}
    />
  )
}
