'use client'

import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Dialog } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { DialogForm } from '#components/ui/form-dialog.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { addFactor, beginFactor } from '#lib/identity/client.ts'
import { AppSecret } from './app-secret.tsx'

/** Sets up an authenticator app: shows its secret, and asks for a code that proves the setup. */
export function AddApp({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }) {
  const begin = useMutation({ mutationFn: () => beginFactor({ body: { kind: 'totp' } }) })
  const { mutate: start } = begin
  useEffect(() => start(), [start])
  const app = begin.data?.app
  const add = useMutation({
    mutationFn: (code: string) =>
      addFactor({ body: { kind: 'totp', name: 'Authenticator app', token: app?.token ?? '', code } }),
    onSuccess: onAdded,
  })
  const submit = (form: HTMLFormElement) => {
    const field = form.elements.namedItem('code') as HTMLInputElement
    add.mutate(field.value, { onError: () => field.select() })
  }
  const wrong = errorAt(add.error, '/code')
  return (
    <Dialog title="Set up an app" onClose={onClose}>
      <p className="mt-1 mb-3 text-ink-3">
        You’ll need a code to sign in. Other sessions will be signed out.
      </p>
      {app ? (
        <DialogForm submit="Set up" pending={add.isPending} onSubmit={submit} onClose={onClose}>
          <AppSecret {...app} />
          <Field
            label="Code"
            hint="The 6-digit code in your app."
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            error={wrong && `This ${wrong}.`}
          />
          {add.error && !wrong ? <NotDone title="Not set up" error={add.error} /> : null}
        </DialogForm>
      ) : begin.error ? (
        <NotDone title="Setup not started" error={begin.error} />
      ) : (
        <SkeletonRows count={5} />
      )}
    </Dialog>
  )
}
