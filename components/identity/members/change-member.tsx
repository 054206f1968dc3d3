'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { DialogForm } from '#components/ui/form-dialog.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { changeMember } from '#lib/identity/client.ts'
import type { Member } from '#lib/identity/members/contract.ts'
import { isLoss, type MemberAccess } from '#lib/identity/members/rules.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { AccessFields } from './access-fields.tsx'
import type { Giving } from './labels.ts'

/** Edits name, roles and billing profiles of a member as read under `etag`. */
export function ChangeMember({
  member,
  etag,
  giving,
  isSelf,
  isRefreshing,
  onReadAgain,
  onSaved,
  onClose,
}: {
  member: Member
  etag: string | undefined
  giving: Giving
  isSelf: boolean
  isRefreshing: boolean
  onReadAgain: () => void
  onSaved: (member: Member) => void
  onClose: () => void
}) {
  const { roles, billingProfiles } = member
  const [name, setName] = useState(member.name)
  const [access, setAccess] = useState<MemberAccess>({ roles, billingProfiles })
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      changeMember({
        params: { member_id: member.id },
        headers: { 'if-match': etag },
        body: {
          name: name.trim(),
          roles: [...access.roles],
          billingProfiles: access.billingProfiles && [...access.billingProfiles],
        },
      }),
    onSuccess: onSaved,
  })
  const isStale = error instanceof ProblemError && error.code === 'member_changed'
  const wrong = { name: errorAt(error, '/name'), roles: errorAt(error, '/roles') }
  const profiles = errorAt(error, '/billingProfiles')
  const isElsewhere = error && !isStale && !wrong.name && !wrong.roles && !profiles
  return (
    <DialogForm submit="Save" pending={isPending} onSubmit={() => mutate()} onClose={onClose}>
      <Field
        label="Name"
        autoComplete="off"
        maxLength={200}
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={wrong.name && `The name ${wrong.name}.`}
      />
      <AccessFields
        value={access}
        giving={giving}
        errors={{ roles: wrong.roles && `The roles: ${wrong.roles}.`, profiles }}
        onChange={setAccess}
      />
      {isSelf && isLoss(member, access) ? (
        <p role="status" className="rounded-card bg-warn-tint px-3.5 py-2.5 text-sm text-warn">
          You lose this access immediately. Only another Admin can restore it.
        </p>
      ) : null}
      {isStale ? (
        <ProblemNote
          title="Someone else changed this member"
          detail="Nothing was saved. Load the current values, then make your change again."
          action={
            <Button pending={isRefreshing} onClick={onReadAgain}>
              Load current values
            </Button>
          }
        />
      ) : null}
      {isElsewhere ? <NotDone title="Not saved" error={error} /> : null}
    </DialogForm>
  )
}
