'use client'

import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { inviteMember } from '#lib/identity/client.ts'
import { AccessFields, useAccessFields } from './access-fields.tsx'
import type { Giving } from './labels.ts'
import { MemberLinkDialog } from './member-link-dialog.tsx'

/** Invites a member, and shows their invitation link, or the address that it was mailed to. */
export function InviteMember({
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
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isPending) return
    const form = event.currentTarget
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
    <Dialog title="Invite a member" onClose={onClose}>
      <p className="mt-1 text-ink-3">We’ll create a one-time link, valid for 7 days.</p>
      <form method="post" onSubmit={submit} className="mt-4 grid gap-3.5">
        <Field
          label="Email address"
          name="email"
          type="email"
          autoComplete="off"
          maxLength={254}
          required
          error={email && `This address ${email}.`}
        />
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
        <div className="mt-1 flex justify-end gap-2">
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" pending={isPending}>
            Invite
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
