'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { EmailField } from '#components/ui/email-field.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { FormDialog } from '#components/ui/form-dialog.tsx'
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
  const submit = (form: HTMLFormElement) => {
    setEmpty(choice.notices.length === 0)
    if (choice.notices.length === 0) return
    mutate(String(new FormData(form).get('email')).trim())
  }
  const wrong = errorAt(error, '/email')
  return (
    <FormDialog
      title={`Add an address to ${escapeInvisible(profile.name)}`}
      about="We’ll email it a link to confirm, valid for 7 days. No invoices are sent before that."
      submit="Add address"
      pending={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <EmailField problem={wrong} />
      <RecipientFields
        value={choice}
        error={isEmpty && choice.notices.length === 0 ? NO_NOTICES : undefined}
        onChange={setChoice}
      />
      {error && !wrong ? <NotDone title="Not added" error={error} /> : null}
    </FormDialog>
  )
}
