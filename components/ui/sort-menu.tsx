import { ArrowDownUp } from 'lucide-react'
import { FILTER_BUTTON } from './filter-button.ts'
import { GoLink } from './go-link.tsx'
import { MENU_ITEM, Menu } from './menu.tsx'

/** An order that a list can have, and where it leads. */
export type SortChoice = { name: string; href: string; chosen: boolean; onGo: () => void }

/** On phones, where a list has no column heads: its order. */
export function SortMenu({ choices }: { choices: readonly SortChoice[] }) {
  const name = choices.find(({ chosen }) => chosen)?.name ?? ''
  return (
    <Menu
      label={`Order: ${name}`}
      rootClassName="md:hidden"
      buttonClassName={FILTER_BUTTON}
      button={
        <>
          <ArrowDownUp aria-hidden="true" className="size-3.5 text-ink-3" />
          {name}
        </>
      }
    >
      {(close) => (
        <ul>
          {choices.map((choice) => (
            <li key={choice.name}>
              <GoLink
                href={choice.href}
                aria-current={choice.chosen ? 'true' : undefined}
                onGo={() => {
                  choice.onGo()
                  close()
                }}
                className={MENU_ITEM}
              >
                {choice.name}
              </GoLink>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  )
}
