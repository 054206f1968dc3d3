import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { whyNot } from '#components/problem/why-not.ts'
import { useToast } from '#components/ui/toast.tsx'
import { setListColumns } from '#lib/list-columns/queries.ts'
import { type ColumnOf, columnsOf, type ListName, usualColumns } from '#lib/list-columns/rules.ts'

/** Makes other columns of those that there are now; null: the usual ones. */
export type Choose<Column> = (change: (now: readonly Column[]) => readonly Column[] | null) => void

/**
 * The columns of a list as its member has chosen them, and how to choose others: shown at once, and taken back where they
 * could not be kept.
 * @param first as the page was made
 */
export function useColumns<List extends ListName>(list: List, first: readonly ColumnOf<List>[]) {
  type Column = ColumnOf<List>
  const client = useQueryClient()
  const say = useToast()
  const key = ['listColumns', list]
  // Kept from page to page; on the first one it is what the page was made with.
  const [columns, setColumns] = useState(() => client.getQueryData<readonly Column[]>(key) ?? first)
  const show = (next: readonly Column[]) => {
    client.setQueryData(key, next)
    setColumns(next)
  }
  const { mutate } = useMutation({
    mutationKey: key,
    // One after the other: what was chosen last is kept last.
    scope: { id: `columns of ${list}` },
    mutationFn: ({ chosen }: { chosen: readonly Column[] | null; before: readonly Column[] }) =>
      setListColumns({ body: { list, columns: chosen && [...chosen] } }),
    onError: (error, { before }) => {
      // Of what was chosen since, its own answer tells.
      if (client.isMutating({ mutationKey: key }) <= 1) show(before)
      say(`Columns not changed: ${whyNot(error)}`)
    },
    onSuccess: ({ columns: kept }) => {
      if (client.isMutating({ mutationKey: key }) <= 1) show(columnsOf(list, kept))
    },
  })
  // Of the columns as they are at this moment: two presses may come before the page is drawn anew.
  const choose: Choose<Column> = (change) => {
    const before = client.getQueryData<readonly Column[]>(key) ?? columns
    const chosen = change(before)
    show(chosen ?? usualColumns(list))
    mutate({ chosen, before })
  }
  return { columns, choose }
}
