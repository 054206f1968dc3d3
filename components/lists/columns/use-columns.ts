import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ColumnOf, ListName } from '#lib/workspace/list-columns/rules.ts'

/** The name in the query cache of the columns that a member has chosen for a list. */
export function columnsKey(list: ListName): readonly string[] {
  return ['listColumns', list]
}

/**
 * The columns of a list as its member has chosen them, and how to show others.
 * @param first as the page was made
 */
export function useColumns<List extends ListName>(list: List, first: readonly ColumnOf<List>[]) {
  const client = useQueryClient()
  // Kept in the cache from page to page; the first page sets it.
  const [columns, setColumns] = useState(
    () => client.getQueryData<readonly ColumnOf<List>[]>(columnsKey(list)) ?? first,
  )
  const show = (next: readonly ColumnOf<List>[]) => {
    client.setQueryData(columnsKey(list), next)
    setColumns(next)
  }
  return { columns, show }
}
