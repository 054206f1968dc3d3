import { ArrowDownUp } from 'lucide-react'
import { type Pick, PickMenu } from './pick-menu.tsx'

/** Its order, where a list has no column heads, as on phones, or not all of them. */
export function SortMenu({ choices }: { choices: readonly Pick[] }) {
  return (
    <PickMenu
      label="Order"
      rootClassName="xl:hidden"
      icon={<ArrowDownUp aria-hidden="true" className="size-3.5 text-ink-3" />}
      picks={choices}
    />
  )
}
