'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Card } from '#components/ui/card.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { demandFactor, readFactorDemand } from '#lib/identity/client.ts'

/** Shows whether all members must use a second factor, with a switch. For Admins. */
export function DemandFactor() {
  const toast = useToast()
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: readFactorDemand.key({}),
    queryFn: ({ signal }) => readFactorDemand({}, signal),
  })
  const { mutate, isPending, error } = useMutation({
    mutationFn: (isDemanded: boolean) => demandFactor({ body: { isDemanded } }),
    onSuccess: ({ isDemanded }) => {
      toast(isDemanded ? 'A second factor is demanded of all members' : 'A second factor is not demanded')
      for (const name of ['readFactorDemand', 'listFactors']) client.invalidateQueries({ queryKey: [name] })
    },
  })
  if (!data) return null
  const { isDemanded } = data
  return (
    <section aria-label="Second factor" className="mt-5">
      <Card className="grid gap-3 px-5 py-4">
        <Switch
          label="Everybody needs a second factor"
          checked={isDemanded}
          pending={isPending}
          onChange={(checked) => mutate(checked)}
        >
          {isDemanded
            ? 'Each member needs a second factor to sign in. Who has none sets one up at the next sign-in.'
            : 'Members may sign in with their password alone, unless they have set up a second factor.'}
        </Switch>
        {error ? <NotDone title="Not changed" error={error} /> : null}
      </Card>
    </section>
  )
}
