'use client'

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { NOTICES } from '#lib/notifications/notices/rules.ts'
import { addNoticeRecipient } from '#lib/notifications/recipients/client.ts'
import { NO_NOTICES, type RecipientChoice, RecipientFields } from './recipient-fields.tsx'

/** Requests that an address gets notices of a billing profile. */
export function AddRecipient({
  profile,
  onDone,
  onClose,
}: {
  profile: { id: string; name: string }
  onDone: (message: string) => void
  onClose: () => void
}) {
  const [choice, setChoice] = useState<RecipientChoice>({ notices: [...NOTICES], attachesPdf: true })
  const [isEmpty, setEmpty] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: (email: string) =>
      addNoticeRecipient({ params: { billing_profile_id: profile.id }, body: { email, ...choice } }),
    onSuccess: ({ email }) => onDone(`Confirmation requested from ${escapeInvisible(email)}`),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isPending) return
    setEmpty(choice.notices.length === 0)
    if (choice.notices.length === 0) return
    mutate(String(new FormData(event.currentTarget).get('email')).trim())
  }
  const wrong = errorAt(error, '/email')
  return (
    <Dialog title={`Add an address to ${escapeInvisible(profile.name)}`} onClose={onClose}>
      <p className="mt-1 text-sm text-ink-2">
        We’ll email it a link to confirm, valid for 7 days. No invoices are sent before that.
      </p>
      <form method="post" onSubmit={submit} className="mt-4 grid gap-3.5">
        <Field
          label="Email address"
          name="email"
          type="email"
          autoComplete="off"
          maxLength={254}
          required
          error={wrong && `This address ${wrong}.`}
        />
        <RecipientFields
          value={choice}
          error={isEmpty && choice.notices.length === 0 ? NO_NOTICES : undefined}
          onChange={setChoice}
        />
        {error && !wrong ? <NotDone title="Not added" error={error} /> : null}
        <div className="mt-1 flex justify-end gap-2">
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" pending={isPending}>
            Add address
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
