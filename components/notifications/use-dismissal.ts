import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useToast } from '#components/ui/toast.tsx'
import { dismissNeed, listNeeds, restoreNeed } from '#lib/notifications/client.ts'
import type { Need, Needs } from '#lib/notifications/needs/contract.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

/** Dismisses and restores lines. `onDismissalChange` is called with the changed line. */
export function useDismissal(onDismissalChange: (need: Need) => void) {
  const toast = useToast()
  const client = useQueryClient()
  const key = listNeeds.key({})
  const { mutate, isPending } = useMutation({
    mutationFn: ({ id, version, isDismissed }: Need) => {
      const params = { need_id: id }
      return isDismissed ? restoreNeed({ params, body: {} }) : dismissNeed({ params, body: { version } })
    },
    onSuccess: (need, before) => {
      client.setQueryData<Needs>(key, (list) => list && withNeed(list, need))
      if (need.isDismissed === before.isDismissed && !need.isDismissed)
        toast('It has changed meanwhile, so it stays')
      onDismissalChange(need)
    },
    onError: (error) => {
      // The line needs no action any more: the refetched list shows the present ones.
      if (error instanceof ProblemError && error.code === 'not_found')
        client.invalidateQueries({ queryKey: key })
      else
        toast(
          error instanceof ProblemError
            ? error.message
            : 'Not changed: the service did not answer. Try again.',
        )
    },
  })
  return { dismiss: mutate, restore: mutate, isPending }
}

/** Returns the list with one changed line. */
function withNeed(list: Needs, need: Need): Needs {
  const needs = list.needs.map((one) => (one.id === need.id ? need : one))
  return { ...list, needs, count: needs.filter(({ isDismissed }) => !isDismissed).length }
}
