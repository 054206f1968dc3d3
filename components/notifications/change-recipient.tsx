'use client'

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import {
  changeNoticeRecipient,
  removeNoticeRecipient,
  resendConfirmation,
} from '#lib/notifications/recipients/client.ts'
import type { NoticeRecipient } from '#lib/notifications/recipients/contract.ts'
import { needsConfirmation, type RecipientState } from '#lib/notifications/recipients/rules.ts'
import { NO_NOTICES, RecipientFields } from './recipient-fields.tsx'

const STATE_NOTES: Partial<Record<RecipientState, string>> = {
  pending: 'This address has not confirmed yet. A new link replaces the former one.',
  expired: 'This address did not confirm in time.',
  declined: 'The owner of this address declined.',
  stopped: 'The owner of this address unsubscribed. They can restart the emails by a new confirmation.',
  refused: 'The mail server rejects this address, so nothing is sent. Confirm the address to resume.',
}

/** Changes the notices of an address, requests another confirmation, or removes it. */
export function ChangeRecipient({
  recipient,
  profile,
  onDone,
  onClose,
}: {
  recipient: NoticeRecipient
  profile: { id: string; name: string }
  onDone: (message: string) => void
  onClose: () => void
}) {
  const { state, attachesPdf } = recipient
  const [choice, setChoice] = useState({ notices: [...recipient.notices], attachesPdf })
  const params = { billing_profile_id: recipient.billingProfileId, recipient_id: recipient.id }
  const email = escapeInvisible(recipient.email)
  const save = useMutation({
    mutationFn: () => changeNoticeRecipient({ params, body: choice }),
    onSuccess: () => onDone(`Saved: ${email}`),
  })
  const resend = useMutation({
    mutationFn: () => resendConfirmation({ params, body: {} }),
    onSuccess: () => onDone(`Confirmation requested from ${email}`),
  })
  const remove = useMutation({
    mutationFn: () => removeNoticeRecipient({ params, body: {} }),
    onSuccess: () => onDone(`Removed: ${email}`),
  })
  const error = save.error ?? resend.error ?? remove.error
  const isEmpty = choice.notices.length === 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isEmpty && !save.isPending) save.mutate()
  }
  return (
    <Dialog title={email} onClose={onClose}>
      <p className="mt-0.5 text-sm wrap-anywhere text-ink-3">{escapeInvisible(profile.name)}</p>
      {STATE_NOTES[state] ? <p className="mt-2 text-sm text-ink-2">{STATE_NOTES[state]}</p> : null}
      <form method="post" onSubmit={submit} className="mt-4 grid gap-3.5">
        <RecipientFields value={choice} error={isEmpty ? NO_NOTICES : undefined} onChange={setChoice} />
        {error ? <NotDone title="Not done" error={error} /> : null}
        <div className="mt-1 flex flex-wrap justify-end gap-2">
          <Button pending={remove.isPending} onClick={() => remove.mutate()}>
            Remove
          </Button>
          {needsConfirmation(state) ? (
            <Button pending={resend.isPending} onClick={() => resend.mutate()}>
              Send confirmation again
            </Button>
          ) : null}
          <Button type="submit" variant="primary" pending={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
