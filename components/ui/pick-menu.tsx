import type { ReactNode } from 'react'
import { FILTER_BUTTON } from './filter-button.ts'
import { GoLink } from './go-link.tsx'
import { MENU_ITEM, Menu } from './menu.tsx'

/** One of several things of which exactly one is chosen, and where it leads. */
export type Pick = { name: string; href: string; chosen: boolean; onGo: () => void }

/** A menu of which one entry is chosen; `icon` stands before its name, `after` behind it. */
export function PickMenu({
  label,
  icon,
  after,
  rootClassName,
  picks,
}: {
  label: string
  icon?: ReactNode
  after?: ReactNode
  rootClassName: string
  picks: readonly Pick[]
}) {
  const name = picks.find(({ chosen }) => chosen)?.name ?? ''
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
      {(close) => <Picks picks={picks} onPicked={close} />}
    </Menu>
  )
}

/** The entries of such a menu. */
export function Picks({ picks, onPicked }: { picks: readonly Pick[]; onPicked: () => void }) {
  return (
    <ul>
      {picks.map((pick) => (
        <li key={pick.name}>
          <GoLink
            href={pick.href}
            aria-current={pick.chosen ? 'true' : undefined}
            onGo={() => {
              pick.onGo()
              onPicked()
            }}
            className={MENU_ITEM}
          >
            {pick.name}
          </GoLink>
        </li>
      ))}
    </ul>
  )
}
