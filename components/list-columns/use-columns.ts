import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { whyNot } from '#components/problem/why-not.ts'
import { useToast } from '#components/ui/toast.tsx'
import { setListColumns } from '#lib/list-columns/queries.ts'
import { type ColumnOf, type ListName, usualColumns } from '#lib/list-columns/rules.ts'

/**
 * The columns of a list as its member has chosen them, and how to choose others: shown at once, and taken back where they
 * could not be kept.
 * @param first as the page was made
 */
export function useColumns<List extends ListName>(list: List, first: readonly ColumnOf<List>[]) {
  const client = useQueryClient()
  const say = useToast()
  const key = ['listColumns', list]
  const { data: columns } = useQuery({
    queryKey: key,
    queryFn: () => first,
    initialData: first,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { mutate } = useMutation({
    // One after the other: what was chosen last is kept last.
    scope: { id: `columns of ${list}` },
    mutationFn: (chosen: readonly ColumnOf<List>[] | null) =>
      setListColumns({ body: { list, columns: chosen && [...chosen] } }),
    onMutate: (chosen) => {
      const before = client.getQueryData<readonly ColumnOf<List>[]>(key)
      client.setQueryData(key, chosen ?? usualColumns(list))
      return before
    },
    onError: (error, _, before) => {
      client.setQueryData(key, before)
      say(`Columns not changed: ${whyNot(error)}`)
    },
  })
  return { columns, choose: mutate }
}
