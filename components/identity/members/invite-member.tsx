'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { EmailField } from '#components/ui/email-field.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { inviteMember } from '#lib/identity/client.ts'
import { AccessFields, useAccessFields } from './access-fields.tsx'
import type { Giving } from './labels.ts'
import { MemberLinkDialog } from './member-link-dialog.tsx'

/** Button that invites a member. */
export function InviteMember({ giving }: { giving: Giving }) {
  const [isOpen, setIsOpen] = useState(false)
  const client = useQueryClient()
  return (
    <>
      <Button variant="primary" onClick={() => setIsOpen(true)}>
        Invite a member
      </Button>
      {isOpen ? (
        <InviteDialog
          giving={giving}
          onInvited={() => client.invalidateQueries({ queryKey: ['listMembers'] })}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </>
  )
}

/** Invites a member, and shows their invitation link, or the address that it was mailed to. */
function InviteDialog({
  giving,
  onInvited,
  onClose,
}: {
  giving: Giving
  onInvited: () => void
  onClose: () => void
}) {
  const { body, check, fieldsFor } = useAccessFields({ roles: [], billingProfiles: giving.all ? null : [] })
  const { mutate, isPending, error, data, reset } = useMutation({
    mutationFn: (who: { email: string; name: string }) => inviteMember({ body: { ...who, ...body } }),
    onSuccess: onInvited,
  })
  const submit = (form: HTMLFormElement) => {
    const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement
    reset()
    if (!check()) return
    const onError = (rejection: Error) => {
      const wrong = ['email', 'name'].find((name) => errorAt(rejection, `/${name}`))
      if (wrong) field(wrong).focus()
    }
    mutate({ email: field('email').value.trim(), name: field('name').value.trim() }, { onError })
  }
  if (data) {
    const name = escapeInvisible(data.member.name)
    return (
      <Dialog title={`${name} is invited`} onClose={onClose}>
        <MemberLinkDialog link={data.link} name={name} onClose={onClose} />
      </Dialog>
    )
  }
  const [email, name] = [errorAt(error, '/email'), errorAt(error, '/name')]
  const fields = fieldsFor(error)
  const isElsewhere = error && !email && !name && !fields.errors.roles && !fields.errors.profiles
  return (
    <FormDialog
      title="Invite a member"
      about="We’ll create a one-time link, valid for 7 days."
      submit="Invite"
      pending={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <EmailField problem={email} />
      <Field
        label="Name"
        name="name"
        autoComplete="off"
        maxLength={200}
        required
        error={name && `The name ${name}.`}
      />
      <AccessFields giving={giving} {...fields} />
      {isElsewhere ? <NotDone title="Not invited" error={error} /> : null}
    </FormDialog>
  )
}
