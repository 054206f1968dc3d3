import { ArrowDownUp } from 'lucide-react'
import { type Pick, PickMenu } from './pick-menu.tsx'

/** On phones, where a list has no column heads: its order. */
export function SortMenu({ choices }: { choices: readonly Pick[] }) {
  return (
    <PickMenu
      label="Order"
      rootClassName="md:hidden"
      icon={<ArrowDownUp aria-hidden="true" className="size-3.5 text-ink-3" />}
      picks={choices}
    />
  )
}
