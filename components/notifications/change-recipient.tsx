'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { FormDialog } from '#components/ui/form-dialog.tsx'
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
  return (
    <FormDialog
      title={email}
      about={
        <>
          {escapeInvisible(profile.name)}
          {STATE_NOTES[state] ? <span className="mt-1 block text-sm">{STATE_NOTES[state]}</span> : null}
        </>
      }
      submit="Save"
      pending={save.isPending}
      others={
        <>
          <Button
            variant="quiet"
            pending={remove.isPending}
            onClick={() => remove.mutate()}
            className="mr-auto text-danger"
          >
            Remove
          </Button>
          {needsConfirmation(state) ? (
            <Button pending={resend.isPending} onClick={() => resend.mutate()}>
              Send confirmation again
            </Button>
          ) : null}
        </>
      }
      onSubmit={() => isEmpty || save.mutate()}
      onClose={onClose}
    >
      <RecipientFields value={choice} error={isEmpty ? NO_NOTICES : undefined} onChange={setChoice} />
      {error ? <NotDone title="Not done" error={error} /> : null}
    </FormDialog>
  )
}
