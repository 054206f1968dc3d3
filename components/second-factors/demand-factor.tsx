'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { NotDone } from '#components/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { demandFactor, listFactors } from '#lib/second-factors/queries.ts'

/** Says whether a second factor is demanded of all members, and changes that. For Admins. */
export function DemandFactor() {
  const say = useToast()
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: listFactors.key({}),
    queryFn: ({ signal }) => listFactors({}, signal),
  })
  const { mutate, isPending, error } = useMutation({
    mutationFn: (isDemanded: boolean) => demandFactor({ body: { isDemanded } }),
    onSuccess: ({ isDemanded }) => {
      say(isDemanded ? 'A second factor is demanded of all members' : 'A second factor is not demanded')
      client.invalidateQueries({ queryKey: ['listFactors'] })
    },
  })
  if (!data) return null
  const { isDemanded } = data
  return (
    <section aria-label="Second factor" className="mt-5 grid max-w-170 gap-2 text-sm">
      <p className="text-ink-2">
        {isDemanded
          ? 'Each member needs a second factor to sign in. Who has none sets one up at the next sign-in.'
          : 'Members may sign in with their password alone, unless they have set up a second factor.'}
      </p>
      <div>
        <Button pending={isPending} onClick={() => mutate(!isDemanded)}>
          {isDemanded ? 'Do not demand a second factor' : 'Demand a second factor of all'}
        </Button>
      </div>
      {error ? <NotDone title="Not changed" error={error} /> : null}
    </section>
  )
}
