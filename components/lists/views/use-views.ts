import { useQuery } from '@tanstack/react-query'
import { listViews } from '#lib/workspace/client.ts'
import type { Views } from '#lib/workspace/views/contract.ts'

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
