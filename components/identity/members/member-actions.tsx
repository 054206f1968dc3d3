'use client'

import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { changeMember, makeMemberLink, resetFactors, withdrawInvitation } from '#lib/identity/client.ts'
import type { Member, MemberLink } from '#lib/identity/members/contract.ts'

/**
 * Immediate actions on a member: new link, disable or enable, withdraw. Actions that take access away ask for
 * confirmation first.
 */
export function MemberActions({
  member,
  isSelf,
  onLink,
  onDone,
}: {
  member: Member
  isSelf: boolean
  onLink: (link: MemberLink) => void
  onDone: (message: string) => void
}) {
  const [confirming, setConfirming] = useState<MemberAction>()
  const input = { params: { member_id: member.id }, body: {} }
  const link = useMutation({ mutationFn: () => makeMemberLink(input), onSuccess: onLink })
  const act = useMutation({
    mutationFn: ({ is }: MemberAction): Promise<unknown> => {
      if (is === 'reset') return resetFactors({ params: input.params })
      if (is === 'withdraw') return withdrawInvitation(input)
      return changeMember({ ...input, body: { disabled: is === 'disable' } })
    },
    onSuccess: (_, { done }) => onDone(`${done}: ${escapeInvisible(member.name)}`),
  })
  const error = link.error ?? act.error
  const { state } = member
  if (confirming)
    return (
      <ConfirmAction
        action={confirming}
        pending={act.isPending}
        error={act.error}
        onConfirm={() => act.mutate(confirming)}
        onBack={() => {
          act.reset()
          setConfirming(undefined)
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
          <Button onClick={() => setConfirming(withdrawing(member))}>Withdraw the invitation</Button>
        ) : state === 'disabled' ? (
          <Button pending={act.isPending} onClick={() => act.mutate(ENABLING)}>
            Enable
          </Button>
        ) : (
          <Button onClick={() => setConfirming(disabling(member, isSelf))}>Disable</Button>
        )}
        {member.secondFactors?.length && !isSelf ? (
          <Button onClick={() => setConfirming(resetting(member))}>Reset two-step verification</Button>
        ) : null}
      </div>
      <p className="text-xs text-ink-3">{STATE_NOTES[state]}</p>
      {error ? <NotDone title="Not done" error={error} /> : null}
    </section>
  )
}

const STATE_NOTES: Record<Member['state'], string> = {
  invited: 'A new invitation works for 7 days, and replaces the previous one.',
  active: 'The link works once, within 30 minutes.',
  disabled: 'Once enabled, they can sign in again, and keys they created work again.',
}

function ConfirmAction({
  action: { button, happens },
  pending,
  error,
  onConfirm,
  onBack,
}: {
  action: MemberAction
  pending: boolean
  error: Error | null
  onConfirm: () => void
  onBack: () => void
}) {
  // The pressed button is gone: the focus moves to its result, which screen readers then announce.
  const container = useRef<HTMLParagraphElement>(null)
  useEffect(() => container.current?.focus(), [])
  return (
    <section aria-label={button} className="grid gap-3">
      <p ref={container} tabIndex={-1} className="text-sm wrap-anywhere outline-none">
        {happens}
      </p>
      {error ? <NotDone title="Not done" error={error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="quiet" onClick={onBack}>
          Back
        </Button>
        <Button pending={pending} onClick={onConfirm} className="max-w-full wrap-anywhere text-danger">
          {button}
        </Button>
      </div>
    </section>
  )
}

/** Immediate action on a member, and its labels. */
type MemberAction = {
  is: 'disable' | 'enable' | 'withdraw' | 'reset'
  done: string
  button: string
  happens: string
}

const ENABLING: MemberAction = { is: 'enable', done: 'Enabled', button: 'Enable', happens: '' }

function disabling({ name }: Member, isSelf: boolean): MemberAction {
  const who = isSelf ? 'You are' : `${escapeInvisible(name)} is`
  return {
    is: 'disable',
    done: 'Disabled',
    button: isSelf ? 'Disable yourself' : `Disable ${escapeInvisible(name)}`,
    happens: `${who} signed out everywhere immediately, and cannot sign in again. API keys that ${isSelf ? 'you' : 'they'} created stop working, except those that belong to the customer. Nothing is deleted, and an Admin can enable ${isSelf ? 'you' : 'them'} again.`,
  }
}

function resetting({ name }: Member): MemberAction {
  return {
    is: 'reset',
    done: 'Two-step verification reset',
    button: 'Reset two-step verification',
    happens: `Use this if ${escapeInvisible(name)} lost their app, passkeys and recovery codes. These stop working here. They are signed out everywhere, get an email, and can sign in with only their password. If two-step verification is required, they set it up again then.`,
  }
}

function withdrawing({ name, email }: Member): MemberAction {
  return {
    is: 'withdraw',
    done: 'Withdrawn',
    button: 'Withdraw the invitation',
    happens: `The link of ${escapeInvisible(name)} (${email}) stops working, and they are removed from this list. You can invite them again.`,
  }
}
