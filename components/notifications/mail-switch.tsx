'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Card } from '#components/ui/card.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { readNeedsMail, setNeedsMail } from '#lib/notifications/client.ts'

/** Switch for the weekly mail with the same lines to the member. Renders nothing where this console sends no mails. */
export function NeedsMail({ email }: { email: string }) {
  const toast = useToast()
  const client = useQueryClient()
  const key = readNeedsMail.key({})
  const { data } = useQuery({ queryKey: key, queryFn: ({ signal }) => readNeedsMail({}, signal) })
  const { mutate, isPending, error } = useMutation({
    mutationFn: (isOn: boolean) => setNeedsMail({ body: { isOn } }),
    onSuccess: (mail) => {
      client.setQueryData(key, mail)
      toast(
        mail.isOn ? 'Weekly email turned on. The first one comes next Monday.' : 'Weekly email turned off',
      )
    },
  })
  if (!data?.isPossible) return null
  return (
    <section aria-label="Mail" className="mt-6 print:hidden">
      <Card className="grid gap-3 px-5 py-4">
        <Switch label="Email me this once a week" checked={data.isOn} pending={isPending} onChange={mutate}>
          {data.isOn
            ? `To ${email}, on Mondays. No email in weeks when nothing needs attention.`
            : 'Every Monday, unless nothing needs attention. Each email has an unsubscribe link.'}
        </Switch>
        {error ? <NotDone title="Not changed" error={error} /> : null}
      </Card>
    </section>
  )
}
