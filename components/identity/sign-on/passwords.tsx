'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Card } from '#components/ui/card.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { setPasswordSignIn } from '#lib/identity/client.ts'

/** Sets whether members may sign in with passwords as well as with single sign-on. */
export function Passwords({
  isAllowed,
  onChanged,
}: {
  isAllowed: boolean
  onChanged: (message: string) => void
}) {
  const [isConfirming, setIsConfirming] = useState(false)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (allowed: boolean) => setPasswordSignIn({ body: { allowed } }),
    onSuccess: (_, allowed) => {
      setIsConfirming(false)
      onChanged(allowed ? 'Password sign-in turned on' : 'Password sign-in turned off')
    },
  })
  const close = () => {
    reset()
    setIsConfirming(false)
  }
  const errorNote = error ? <NotDone title="Not changed" error={error} /> : null
  return (
    <section aria-label="Passwords">
      <Card className="grid gap-3 px-5 py-4">
        <Switch
          label="Allow password sign-in"
          checked={isAllowed}
          pending={isPending}
          onChange={(checked) => (checked ? mutate(true) : setIsConfirming(true))}
        >
          {isAllowed
            ? 'Members can use a password or single sign-on. Turn this off once single sign-on works for everyone.'
            : 'Members can sign in only with single sign-on. API keys keep working.'}
        </Switch>
        {isConfirming ? null : errorNote}
      </Card>
      {isConfirming ? (
        <Confirm
          title="Allow only single sign-on?"
          button="Turn passwords off"
          pending={isPending}
          refused={errorNote}
          onConfirm={() => mutate(false)}
          onClose={close}
        >
          Passwords, password links and passkeys stop working, and members who used them are signed out
          immediately. API keys keep working.
        </Confirm>
      ) : null}
    </section>
  )
}
