'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { waitText } from '#components/platform/waits/wait-text.ts'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { changePassword } from '#lib/identity/client.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { PasswordField } from './password-field.tsx'

/** Changes the caller's own password. Shows each refusal at its field. */
export function ChangePassword({ email, onClose }: { email: string; onClose: () => void }) {
  const toast = useToast()
  const [differs, setDiffers] = useState(false)
  const change = useMutation({
    mutationFn: (body: { currentPassword: string; newPassword: string }) => changePassword({ body }),
    onSuccess: () => {
      onClose()
      toast('Password changed. Your other sessions were signed out.')
    },
  })
  const { error, isPending, mutate, reset } = change

  const submit = (form: HTMLFormElement) => {
    const fields = new FormData(form)
    const focus = (name: string) => (form.elements.namedItem(name) as HTMLInputElement).focus()
    const [currentPassword, newPassword, again] = ['current', 'new', 'again'].map((name) =>
      String(fields.get(name)),
    )
    reset()
    setDiffers(newPassword !== again)
    if (newPassword !== again) return focus('again')
    const onError = (rejection: Error) => {
      if (errorAt(rejection, '/currentPassword')) focus('current')
      else if (errorAt(rejection, '/newPassword')) focus('new')
    }
    mutate({ currentPassword: currentPassword ?? '', newPassword: newPassword ?? '' }, { onError })
  }

  const current = errorAt(error, '/currentPassword')
  const fresh = errorAt(error, '/newPassword')
  return (
    <FormDialog
      title="Change password"
      about="Your other sessions are signed out; this one stays."
      submit="Change password"
      pending={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {/* Username for password managers. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Current password"
        name="current"
        autoComplete="current-password"
        required
        error={current && `This ${current}.`}
      />
      <PasswordField
        label="New password"
        name="new"
        autoComplete="new-password"
        hint="At least 10 characters. Common passwords are not accepted."
        required
        error={fresh && `The new password ${fresh}.`}
      />
      <PasswordField
        label="New password, again"
        name="again"
        autoComplete="new-password"
        required
        error={differs ? 'The two new passwords differ.' : undefined}
      />
      {error && !current && !fresh ? <OtherProblem error={error} /> : null}
    </FormDialog>
  )
}

function OtherProblem({ error }: { error: Error }) {
  if (!(error instanceof ProblemError)) {
    return <ProblemNote title="Not changed: no answer" detail="Check your connection and try again." />
  }
  const { requestId, retryAfter } = error.more
  const detail =
    error.code === 'rate_limited'
      ? `The current password was wrong too often. Wait ${waitText(retryAfter ?? 60)}, then try again.`
      : error.message
  return <ProblemNote title="Not changed" detail={detail} requestId={requestId} />
}
