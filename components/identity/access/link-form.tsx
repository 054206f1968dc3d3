'use client'

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { waitText } from '#components/platform/waits/wait-text.ts'
import { Button } from '#components/ui/button.tsx'
import { useHydrated } from '#components/ui/hydrated.ts'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { redeemLink } from '#lib/identity/client.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { signIn } from './next-auth.ts'
import { PasswordField } from './password-field.tsx'

/**
 * Redeems a link with a new or an existing password, and signs in with it. For a link copied by hand, the form offers
 * both without revealing whether the account has a password.
 */
export function LinkForm({
  secret,
  email,
  passwordMode,
}: {
  secret: string
  email: string
  passwordMode: 'new' | 'present' | 'either'
}) {
  const hydrated = useHydrated()
  const [isNew, setNew] = useState(passwordMode !== 'present')
  const [differs, setDiffers] = useState(false)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async (password: string) => {
      await redeemLink({ body: { secret, password, isNew } })
      const { kind } = await signIn(email, password)
      const next = { 'signed-in': '/', pending: '/sign-in/customer' }
      location.assign(kind in next ? next[kind as keyof typeof next] : '/sign-in')
    },
  })

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isPending) return
    const form = event.currentTarget
    const fields = new FormData(form)
    const focus = (name: string) => (form.elements.namedItem(name) as HTMLInputElement).focus()
    reset()
    const isSame = !isNew || fields.get('password') === fields.get('again')
    setDiffers(!isSame)
    if (!isSame) return focus('again')
    mutate(String(fields.get('password')), { onError: () => focus('password') })
  }
  const switchMode = () => {
    reset()
    setDiffers(false)
    setNew(!isNew)
  }

  const passwordError = errorAt(error, '/password')
  return (
    <form method="post" onSubmit={submit} className="mt-4 grid gap-3.5">
      {/* Username for password managers. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        key={String(isNew)}
        label={isNew ? 'New password' : 'Your password'}
        name="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        hint={
          isNew
            ? 'At least 10 characters. Common passwords are not accepted.'
            : 'The one with which you sign in here already.'
        }
        required
        error={passwordError && `The password ${passwordError}.`}
      />
      {isNew ? (
        <PasswordField
          label="New password, again"
          name="again"
          autoComplete="new-password"
          required
          error={differs ? 'The two passwords differ.' : undefined}
        />
      ) : null}
      {error && !passwordError ? <OtherProblem error={error} /> : null}
      <Button
        type="submit"
        variant="primary"
        pending={isPending}
        disabled={!hydrated}
        // A disabled button also keeps Enter from submitting the form before hydration.
        className="mt-1 min-h-9.5 w-full disabled:bg-accent disabled:text-accent-ink"
      >
        {isNew ? 'Set password and sign in' : 'Accept and sign in'}
      </Button>
      {passwordMode === 'either' ? (
        <Button variant="quiet" disabled={!hydrated} onClick={switchMode}>
          {isNew ? 'I have a password here already' : 'I want to choose a new password'}
        </Button>
      ) : null}
    </form>
  )
}

function OtherProblem({ error }: { error: Error }) {
  if (!(error instanceof ProblemError))
    return <ProblemNote title="No answer from the service" detail="Check your connection and try again." />
  const { retryAfter, requestId } = error.more
  const detail =
    error.code === 'rate_limited' && retryAfter
      ? `Wait ${waitText(retryAfter)}, then try again.`
      : error.message
  return <ProblemNote title="Not done" detail={detail} requestId={requestId} />
}

function errorAt(error: Error | null, pointer: string): string | undefined {
  if (!(error instanceof ProblemError)) return undefined
  return error.more.errors?.find((one) => one.pointer === pointer)?.detail
}
