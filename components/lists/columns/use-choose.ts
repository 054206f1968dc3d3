import { useMutation, useQueryClient } from '@tanstack/react-query'
import { whyNot } from '#components/platform/problem/why-not.ts'
import { useToast } from '#components/ui/toast.tsx'
import { setListColumns } from '#lib/workspace/list-columns/queries.ts'
import { type ColumnOf, columnsOf, type ListName, usualColumns } from '#lib/workspace/list-columns/rules.ts'
import { columnsKey } from './use-columns.ts'

/**
 * Chooses the columns of a list: shown at once, and taken back where they could not be kept. What is given to it makes other
 * columns of those that there are at that moment; null: the usual ones.
 */
export function useChoose<List extends ListName>(
  list: List,
  columns: readonly ColumnOf<List>[],
  show: (columns: readonly ColumnOf<List>[]) => void,
) {
  type Column = ColumnOf<List>
  const client = useQueryClient()
  const say = useToast()
  const key = columnsKey(list)
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
  return (change: (now: readonly Column[]) => readonly Column[] | null) => {
    const before = client.getQueryData<readonly Column[]>(key) ?? columns
    const chosen = change(before)
    show(chosen ?? usualColumns(list))
    mutate({ chosen, before })
  }
}
