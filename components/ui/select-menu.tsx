import type { ReactNode } from 'react'
import { FILTER_BUTTON } from './filter-button.ts'
import { GoLink } from './go-link.tsx'
import { MENU_ITEM, Menu } from './menu.tsx'

/** Option of a menu in which exactly one is selected, and its link. */
export type SelectOption = { name: string; href: string; selected: boolean; onNavigate: () => void }

/** Menu in which one option is selected; `icon` is placed before its name, `after` behind it. */
export function SelectMenu({
  label,
  icon,
  after,
  rootClassName,
  options,
}: {
  label: string
  icon?: ReactNode
  after?: ReactNode
  rootClassName: string
  options: readonly SelectOption[]
}) {
  const name = options.find(({ selected }) => selected)?.name ?? ''
  return (
    <Menu
      label={`${label}: ${name}`}
      rootClassName={rootClassName}
      buttonClassName={FILTER_BUTTON}
      button={
        <>
          {icon}
          {name}
          {after}
        </>
      }
    >
      {(close) => <SelectOptions options={options} onSelect={close} />}
    </Menu>
  )
}

/** Options of a `SelectMenu`. */
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
