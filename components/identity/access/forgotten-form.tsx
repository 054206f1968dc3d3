'use client'

import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { waitText } from '#components/platform/waits/wait-text.ts'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { useHydrated } from '#components/ui/hydrated.ts'
import { askRecovery } from '#lib/identity/client.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

/** Requests a password link by mail. The answer is the same for unknown addresses (no user enumeration). */
export function ForgottenForm() {
  const hydrated = useHydrated()
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: (email: string) => askRecovery({ body: { email } }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isPending) mutate(String(new FormData(event.currentTarget).get('email')).trim())
  }
  if (isSuccess)
    return (
      <p role="status" className="mt-4 rounded-control bg-accent-tint px-3 py-2 text-sm text-accent">
        If that address has an account, we’ve emailed a link. It expires in 30 minutes.
      </p>
    )
  return (
    <form method="post" onSubmit={submit} className="mt-3.5 grid gap-3.5">
      <p className="text-sm text-ink-3">We’ll email you a link to reset your password.</p>
      <Field
        label="Work email"
        name="email"
        type="email"
        autoComplete="username"
        inputMode="email"
        spellCheck={false}
        autoCapitalize="none"
        required
      />
      <p role="alert" className="text-sm text-danger empty:hidden">
        {error ? textOf(error) : ''}
      </p>
      <Button
        type="submit"
        variant="primary"
        pending={isPending}
        disabled={!hydrated}
        // A disabled button also keeps Enter from submitting the form before hydration.
        className="min-h-9.5 w-full disabled:bg-accent disabled:text-accent-ink"
      >
        Send the link
      </Button>
    </form>
  )
}

function textOf(error: Error): string {
  if (!(error instanceof ProblemError))
    return 'No answer from the service. Check your connection and try again.'
  if (error.code !== 'rate_limited') return error.message
  return `Too many links were asked for. Wait ${waitText(error.more.retryAfter ?? 60)}, then try again.`
}
