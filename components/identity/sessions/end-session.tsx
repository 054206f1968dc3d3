'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { useToast } from '#components/ui/toast.tsx'
import { endSession } from '#lib/identity/client.ts'
import type { Session } from '#lib/identity/sessions/contract.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

/** Signs a browser out. A session that has ended already counts as success. */
export function EndSession({
  session,
  named,
  onEnded,
}: {
  session: Session
  named: boolean
  onEnded: () => void
}) {
  const toast = useToast()
  const client = useQueryClient()
  const what = named ? `${session.device} of ${escapeInvisible(session.member.name)}` : session.device
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      endSession({ params: { session_id: session.id } }).catch((rejection: unknown) => {
        if (!(rejection instanceof ProblemError) || rejection.code !== 'not_found') throw rejection
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['listSessions'] })
      toast(`Signed out: ${what}`)
      onEnded()
    },
  })
  return (
    <div className="grid justify-items-end gap-1.5">
      <Button
        className="whitespace-nowrap"
        pending={isPending}
        onClick={() => mutate()}
        aria-label={`Sign out ${what}`}
      >
        Sign out
      </Button>
      {error ? <NotDone title="Not signed out" error={error} /> : null}
    </div>
  )
}
