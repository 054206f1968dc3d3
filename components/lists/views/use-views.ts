import { useQuery } from '@tanstack/react-query'
import { listViews } from '#lib/workspace/client.ts'
import type { Views } from '#lib/workspace/views/contract.ts'

/** Returns the caller's views, and whether they may share them; `first` are the views of the frame's render. */
export function useViews(first?: Views): Views {
  const { data } = useQuery({
    queryKey: listViews.key({}),
    queryFn: ({ signal }) => listViews({}, signal),
    ...(first ? { initialData: first } : {}),
  })
  return data ?? NONE
}

const NONE: Views = { views: [], mayShare: false }
