'use client'

import { useMutation } from '@tanstack/react-query'
import { AccessFields, useAccessFields } from '#components/identity/members/access-fields.tsx'
import { type Giving, profilesText, rolesText } from '#components/identity/members/labels.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { countText } from '#components/ui/count-text.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { mapDirectoryGroup, unmapDirectoryGroup } from '#lib/identity/client.ts'
import type { Group } from '#lib/identity/directories/contract.ts'

/** Group with its members and the access that it grants. */
export function GroupRow({
  group,
  giving,
  onMap,
  onUnmap,
}: {
  group: Group
  giving: Giving
  onMap: () => void
  onUnmap: () => void
}) {
  const { members, isMapped, roles, billingProfiles } = group
  const name = escapeInvisible(group.name)
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2.5 border-t border-line px-5 py-4">
      <div className="min-w-0 flex-1 basis-60">
        <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-[550] wrap-anywhere">
          {name}
          {isMapped ? null : <Badge>Not mapped</Badge>}
        </h3>
        <p className="text-sm wrap-anywhere text-ink-3">
          {members === 1 ? '1 member' : `${countText(members)} members`}
          {isMapped
            ? `: ${rolesText(roles)}. Billing profiles: ${profilesText(billingProfiles, giving)}`
            : null}
        </p>
      </div>
      <div className="flex gap-2">
        <Button onClick={onMap} aria-label={`${isMapped ? 'Change' : 'Map'} ${name}`}>
          {isMapped ? 'Change' : 'Map'}
        </Button>
        {isMapped ? (
          <Button variant="quiet" onClick={onUnmap} aria-label={`Unmap ${name}`}>
            Unmap
          </Button>
        ) : null}
      </div>
    </li>
  )
}

/** Edits the access that a group grants; without `group`, of a group by name that the directory may add later. */
export function MapGroup({
  group,
  giving,
  onMapped,
  onClose,
}: {
  group: Group | undefined
  giving: Giving
  onMapped: (message: string) => void
  onClose: () => void
}) {
  const { body, check, fieldsFor } = useAccessFields({
    roles: group?.roles ?? [],
    billingProfiles: group?.billingProfiles ?? null,
  })
  const { mutate, isPending, error } = useMutation({
    mutationFn: (name: string) => mapDirectoryGroup({ body: { name, ...body } }),
    onSuccess: ({ name }) => onMapped(`Mapped: ${escapeInvisible(name)}`),
  })
  const submit = (form: HTMLFormElement) => {
    if (!check()) return
    mutate(group?.name ?? String(new FormData(form).get('name')))
  }
  const name = errorAt(error, '/name')
  const fields = fieldsFor(error)
  const isElsewhere = error && !name && !fields.errors.roles && !fields.errors.profiles
  return (
    <FormDialog
      title={group ? escapeInvisible(group.name) : 'Map a group'}
      about="Current and future members of the group get this access immediately."
      submit="Save"
      pending={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {group ? null : (
        <Field
          label="Name"
          name="name"
          hint="As your directory calls the group."
          maxLength={300}
          required
          autoComplete="off"
          error={name && `The name ${name}.`}
        />
      )}
      <AccessFields giving={giving} {...fields} />
      {isElsewhere ? <NotDone title="Not mapped" error={error} /> : null}
    </FormDialog>
  )
}

/** Asks for confirmation before removing a group's access. */
export function UnmapGroup({
  group,
  onUnmapped,
  onClose,
}: {
  group: Group
  onUnmapped: (message: string) => void
  onClose: () => void
}) {
  const name = escapeInvisible(group.name)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => unmapDirectoryGroup({ params: { group_id: group.id }, body: {} }),
    onSuccess: () => onUnmapped(`Unmapped: ${name}`),
  })
  return (
    <Confirm
      title={`Unmap ${name}?`}
      button="Unmap the group"
      pending={isPending}
      refused={error ? <NotDone title="Not unmapped" error={error} /> : null}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      Its members lose the access it grants immediately. Members without another mapped group have no role,
      and see nothing.
    </Confirm>
  )
}
