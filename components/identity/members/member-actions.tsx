'use client'

import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { visible } from '#components/ui/visible.ts'
import { changeMember, makeMemberLink, resetFactors, withdrawInvitation } from '#lib/identity/client.ts'
import type { Member, MemberLink } from '#lib/identity/members/contract.ts'
import { type Doing, disabling, ENABLING, resetting, withdrawing } from './doings.ts'

/** What is done to a member at once: a new link, disable or enable, withdraw. What takes something away says first what happens. */
export function MemberActions({
  member,
  isSelf,
  onLink,
  onDone,
}: {
  member: Member
  isSelf: boolean
  onLink: (link: MemberLink) => void
  onDone: (said: string) => void
}) {
  const [asked, setAsked] = useState<Doing>()
  const given = { params: { member_id: member.id }, body: {} }
  const link = useMutation({ mutationFn: () => makeMemberLink(given), onSuccess: onLink })
  const act = useMutation({
    mutationFn: ({ is }: Doing): Promise<unknown> => {
      if (is === 'reset') return resetFactors({ params: given.params })
      if (is === 'withdraw') return withdrawInvitation(given)
      return changeMember({ ...given, body: { disabled: is === 'disable' } })
    },
    onSuccess: (_, { done }) => onDone(`${done}: ${visible(member.name)}`),
  })
  const error = link.error ?? act.error
  const { state } = member
  if (asked)
    return (
      <Asked
        doing={asked}
        pending={act.isPending}
        error={act.error}
        onGo={() => act.mutate(asked)}
        onBack={() => {
          act.reset()
          setAsked(undefined)
        }}
      />
    )
  return (
    <section aria-label="Access" className="grid gap-2.5">
      <div className="flex flex-wrap gap-2">
        {state === 'disabled' ? null : (
          <Button pending={link.isPending} onClick={() => link.mutate()}>
            {state === 'invited' ? 'New invitation' : 'Link for a new password'}
          </Button>
        )}
        {state === 'invited' ? (
          <Button onClick={() => setAsked(withdrawing(member))}>Withdraw the invitation</Button>
        ) : state === 'disabled' ? (
          <Button pending={act.isPending} onClick={() => act.mutate(ENABLING)}>
            Enable
          </Button>
        ) : (
          <Button onClick={() => setAsked(disabling(member, isSelf))}>Disable</Button>
        )}
        {member.secondFactors?.length && !isSelf ? (
          <Button onClick={() => setAsked(resetting(member))}>Reset the second factor</Button>
        ) : null}
      </div>
      <p className="text-xs text-ink-3">{HINTS[state]}</p>
      {error ? <NotDone title="Not done" error={error} /> : null}
    </section>
  )
}

const HINTS: Record<Member['state'], string> = {
  invited: 'A new invitation works for 7 days. The one of before no longer does.',
  active: 'The link works once, within 30 minutes.',
  disabled: 'Enabled, they sign in as before, and the keys that they made work again.',
}

function Asked({
  doing: { button, happens },
  pending,
  error,
  onGo,
  onBack,
}: {
  doing: Doing
  pending: boolean
  error: Error | null
  onGo: () => void
  onBack: () => void
}) {
  // The button that was pressed is gone: the focus stays with what it led to, and the sentence is read out.
  const place = useRef<HTMLParagraphElement>(null)
  useEffect(() => place.current?.focus(), [])
  return (
    <section aria-label={button} className="grid gap-3">
      <p ref={place} tabIndex={-1} className="text-sm wrap-anywhere outline-none">
        {happens}
      </p>
      {error ? <NotDone title="Not done" error={error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
        <Button pending={pending} onClick={onGo} className="max-w-full wrap-anywhere text-danger">
          {button}
        </Button>
      </div>
    </section>
  )
}
