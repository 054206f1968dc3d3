'use client'

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { waitText } from '#components/waits/wait-text.ts'
import { proveSession } from '#lib/access/queries.ts'
import { whenFreshSignInIsRequired } from '#lib/api/client.ts'
import { Problem } from '#lib/api/problem.ts'
import { PasswordField } from './password-field.tsx'

type Settle = (isConfirmed: boolean) => void

/**
 * Asks the member to prove who they are, whenever a call of the console is refused for want of a fresh sign-in. Calls that
 * are refused meanwhile wait for the same answer.
 */
export function ConfirmSignIn({ email }: { email: string }) {
  const [isAsked, setAsked] = useState(false)
  const waiting = useRef<Settle[]>([])
  useEffect(
    () =>
      whenFreshSignInIsRequired(() => {
        setAsked(true)
        return new Promise((resolve) => waiting.current.push(resolve))
      }),
    [],
  )
  if (!isAsked) return null
  const settle: Settle = (isConfirmed) => {
    setAsked(false)
    for (const resolve of waiting.current.splice(0)) resolve(isConfirmed)
  }
  return <ConfirmDialog email={email} settle={settle} />
}

function ConfirmDialog({ email, settle }: { email: string; settle: Settle }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (password: string) => proveSession({ body: { by: 'password', password } }),
    onSuccess: () => settle(true),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isPending) return
    const field = event.currentTarget.elements.namedItem('password') as HTMLInputElement
    mutate(field.value, { onError: () => field.select() })
  }
  const isWrong = error instanceof Problem && error.code === 'invalid_request'
  return (
    <Dialog title="Confirm it’s you" onClose={() => settle(false)}>
      <p className="mt-1 text-ink-3">
        You signed in more than 10 minutes ago. What you are about to change asks for your password again.
      </p>
      <form method="post" onSubmit={submit} className="mt-4 grid gap-3.5">
        {/* Tells a password manager whose password this is. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          error={isWrong ? 'This is not your password.' : undefined}
        />
        {error && !isWrong ? <Refused error={error} /> : null}
        <div className="mt-2 flex justify-end gap-2">
          <Button look="quiet" onClick={() => settle(false)}>
            Cancel
          </Button>
          <Button type="submit" look="primary" pending={isPending}>
            Confirm
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Refused({ error }: { error: Error }) {
  if (!(error instanceof Problem))
    return <ProblemNote title="Not confirmed: no answer" detail="Check your connection and try again." />
  const { requestId, retryAfter } = error.more
  const detail =
    error.code === 'rate_limited'
      ? `The password was wrong too often. Wait ${waitText(retryAfter ?? 60)}, then try again.`
      : error.message
  return <ProblemNote title="Not confirmed" detail={detail} requestId={requestId} />
}
