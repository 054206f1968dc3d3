'use client'

import { useMutation } from '@tanstack/react-query'
import { NoPasskey, newPasskey } from '#components/identity/access/passkey.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { addFactor, beginFactor } from '#lib/identity/client.ts'
import type { MadePasskey } from '#lib/identity/second-factors/contract.ts'

/** Creates a passkey in the browser, under a name chosen by its owner. */
export function AddPasskey({ onAdded, onClose }: { onAdded: (name: string) => void; onClose: () => void }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (name: string) => {
      const { options = {} } = await beginFactor({ body: { kind: 'passkey' } })
      const passkey = (await newPasskey(options)) as MadePasskey
      await addFactor({ body: { kind: 'passkey', name, passkey } })
    },
    onSuccess: (_, name) => onAdded(escapeInvisible(name)),
  })
  const submit = (form: HTMLFormElement) => {
    mutate(String(new FormData(form).get('name')).trim())
  }
  return (
    <FormDialog
      title="Add a passkey"
      about="Stored on this device, in your password manager or on a security key. If it checks a PIN, fingerprint or face, it also signs you in without a password."
      submit="Add"
      pending={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint="For example, the name of the device."
        name="name"
        maxLength={60}
        autoComplete="off"
        required
      />
      {error instanceof NoPasskey ? <ProblemNote title="Not added" detail={error.message} /> : null}
      {error && !(error instanceof NoPasskey) ? <NotDone title="Not added" error={error} /> : null}
    </FormDialog>
  )
}
