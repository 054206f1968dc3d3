'use client'

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { waitText } from '#components/waits/wait-text.ts'
import { proveSession } from '#lib/access/queries.ts'
import { Problem } from '#lib/api/problem.ts'
import { PasswordField } from './password-field.tsx'
import { beginFreshSignOn } from './sign-on.ts'

/** Asks for the password; `settle` is told whether the member has proven who they are. */
export function ConfirmDialog({ email, settle }: { email: string; settle: (isConfirmed: boolean) => void }) {
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
        <BySignOn />
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

const NOT_BY_SIGN_ON = 'You did not sign in here by single sign-on. Use your password.'
const NO_ANSWER = 'Your company’s sign-in gives no answer at the moment. Try again later.'

/** Leads to the issuer that opened this session, and back to this page, where the change can be made then. */
function BySignOn() {
  const [error, setError] = useState('')
  const leave = async () => {
    const answer = await beginFreshSignOn(location.pathname + location.search)
    if (answer.kind === 'to-issuer') return location.assign(answer.location)
    setError(answer.kind === 'none' ? NOT_BY_SIGN_ON : NO_ANSWER)
  }
  return (
    <>
      <Button look="quiet" onClick={leave} className="justify-self-start">
        Confirm by single sign-on instead
      </Button>
      <p role="alert" className="text-sm text-danger empty:hidden">
        {error}
      </p>
    </>
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
