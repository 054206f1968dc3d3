import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ColumnOf, ListName } from '#lib/workspace/list-columns/rules.ts'

/** Returns the query key of a member's columns for a list. */
export function columnsKey(list: ListName): readonly string[] {
  return ['listColumns', list]
}

/**
 * Returns a list's columns as chosen by the member, and a function that shows others.
 * @param first columns of the page's render
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
