import { ArrowDownUp } from 'lucide-react'
import { SelectMenu, type SelectOption } from './select-menu.tsx'

/**
 * Its order, where a list has no column heads, as on phones, or not all of them.
 * @param isAlways also on wide screens, for a list that has orders which no head stands for
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
