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
      toast(isDemanded ? 'Two-step verification is required' : 'Two-step verification is optional')
      for (const name of ['readFactorDemand', 'listFactors']) client.invalidateQueries({ queryKey: [name] })
    },
  })
  if (!data) return null
  const { isDemanded } = data
  return (
    <section aria-label="Two-step verification" className="mt-5">
      <Card className="grid gap-3 px-5 py-4">
        <Switch
          label="Require two-step verification"
          checked={isDemanded}
          pending={isPending}
          onChange={(checked) => mutate(checked)}
        >
          {isDemanded
            ? 'Members without it set it up at their next sign-in.'
            : 'Members can sign in with only a password unless they have set it up.'}
        </Switch>
        {error ? <NotDone title="Not changed" error={error} /> : null}
      </Card>
    </section>
  )
}
