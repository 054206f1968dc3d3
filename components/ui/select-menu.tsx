import { ArrowDownUp } from 'lucide-react'
import { TOOL_BUTTON } from './filter-button.ts'
import { GoLink } from './go-link.tsx'
import { MENU_ITEM, Menu } from './menu.tsx'
import { ToolLabel } from './tool-label.tsx'

/** Option of a menu in which exactly one is selected, and its link. */
export type SelectOption = { name: string; href: string; selected: boolean; onNavigate: () => void }

/** Options, exactly one of them selected. */
export function SelectOptions({
  options,
  onSelect,
}: {
  options: readonly SelectOption[]
  onSelect: () => void
}) {
  return (
    <ul>
      {options.map((option) => (
        <li key={option.name}>
          <GoLink
            href={option.href}
            aria-current={option.selected ? 'true' : undefined}
            onNavigate={() => {
              option.onNavigate()
              onSelect()
            }}
            className={MENU_ITEM}
          >
            {option.name}
          </GoLink>
        </li>
      ))}
    </ul>
  )
}

/** Menu of a list's orders, among its tools. */
export function SortMenu({ options }: { options: readonly SelectOption[] }) {
  const name = options.find(({ selected }) => selected)?.name ?? ''
  return (
    <Menu
      label={`Order: ${name}`}
      title={`Order: ${name}`}
      buttonClassName={TOOL_BUTTON}
      button={<ToolLabel icon={ArrowDownUp}>{name}</ToolLabel>}
    >
      {(close) => <SelectOptions options={options} onSelect={close} />}
    </Menu>
  )
}
