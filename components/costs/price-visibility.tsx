'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Card } from '#components/ui/card.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { readPriceVisibility, setPriceVisibility } from '#lib/costs/client.ts'

/** Shows whether IT Managers see license prices, with a switch. For Admins. */
export function PriceVisibility() {
  const toast = useToast()
  const client = useQueryClient()
  const key = readPriceVisibility.key({})
  const { data } = useQuery({ queryKey: key, queryFn: ({ signal }) => readPriceVisibility({}, signal) })
  const { mutate, isPending, error } = useMutation({
    mutationFn: (areHidden: boolean) => setPriceVisibility({ body: { areHidden } }),
    onSuccess: (now) => {
      client.setQueryData(key, now)
      client.invalidateQueries({ queryKey: ['listNeeds'] })
      toast(now.areHidden ? 'IT Managers see no prices' : 'IT Managers see prices')
    },
  })
  if (!data) return null
  const { areHidden } = data
  return (
    <section aria-label="Prices" className="mt-5">
      <Card className="grid gap-3 px-5 py-4">
        <Switch
          label="Show prices to IT Managers"
          checked={!areHidden}
          pending={isPending}
          onChange={(checked) => mutate(!checked)}
        >
          {areHidden
            ? 'Only Finance Users and Admins see prices. IT Managers change licenses without them.'
            : 'License managers see the last billed price and the cost of unused licenses. Only Finance Users and Admins see invoices.'}
        </Switch>
        {error ? <NotDone title="Not changed" error={error} /> : null}
      </Card>
    </section>
  )
}
