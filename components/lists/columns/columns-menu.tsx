'use client'

import { Columns3 } from 'lucide-react'
import { TOOL_BUTTON } from '#components/ui/filter-button.ts'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { Menu } from '#components/ui/menu.tsx'
import { ToolLabel } from '#components/ui/tool-label.tsx'
import type { ColumnOf, ListName } from '#lib/workspace/list-columns/rules.ts'

type ColumnsMenuProps<List extends ListName> = {
  list: List
  columns: readonly ColumnOf<List>[]
  /** Columns without values in this list. */
  without?: readonly ColumnOf<List>[]
  onShow: (columns: readonly ColumnOf<List>[]) => void
}

const ColumnChoice = lazyWithPreload(
  () => import('./column-choice.tsx').then(({ ColumnChoice }) => ColumnChoice<ListName>),
  () => <div className="h-72" />,
)

/** Menu that selects and orders the columns of a list. */
export function ColumnsMenu<List extends ListName>({
  list,
  columns,
  without = [],
  onShow,
}: ColumnsMenuProps<List>) {
  return (
    <Menu
      title="Columns"
      preload={ColumnChoice.preload}
      className="w-74"
      buttonClassName={TOOL_BUTTON}
      button={<ToolLabel icon={Columns3}>Columns</ToolLabel>}
    >
      {() => <ColumnChoice list={list} columns={columns} without={without} onShow={onShow} />}
    </Menu>
  )
}
