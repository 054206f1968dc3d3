import { useQuery } from '@tanstack/react-query'
import type { Views } from '#lib/workspace/views/contract.ts'
import { listViews } from '#lib/workspace/views/queries.ts'

/** The caller's views, and whether they may share them; of the frame `first`, as it was made. */
export function useViews(first?: Views): Views {
  const { data } = useQuery({
    queryKey: listViews.key({}),
    queryFn: ({ signal }) => listViews({}, signal),
    ...(first ? { initialData: first } : {}),
  })
  return data ?? NONE
}

const NONE: Views = { views: [], mayShare: false }
