'use client'

import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { HoldingFields } from '#components/identity/members/holding-fields.tsx'
import { useHolding } from '#components/identity/members/use-holding.ts'
import type { Giving } from '#components/identity/members/words.ts'
import { errorAt } from '#components/platform/problem/error-at.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { visible } from '#components/ui/visible.ts'
import { mapDirectoryGroup } from '#lib/identity/client.ts'
import type { Group } from '#lib/identity/directories/contract.ts'

/** Says what a group gives; without `group`, one by its name, which the directory may bring later. */
export function MapGroup({
  group,
  giving,
  onMapped,
  onClose,
}: {
  group: Group | undefined
  giving: Giving
  onMapped: (said: string) => void
  onClose: () => void
}) {
  const { body, check, fieldsFor } = useHolding({
    roles: group?.roles ?? [],
    billingProfiles: group?.billingProfiles ?? null,
  })
  const { mutate, isPending, error } = useMutation({
    mutationFn: (name: string) => mapDirectoryGroup({ body: { name, ...body } }),
    onSuccess: ({ name }) => onMapped(`Mapped: ${visible(name)}`),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isPending || !check()) return
    mutate(group?.name ?? String(new FormData(event.currentTarget).get('name')))
  }
  const name = errorAt(error, '/name')
  const fields = fieldsFor(error)
  const isElsewhere = error && !name && !fields.errors.roles && !fields.errors.profiles
  return (
    <Dialog title={group ? visible(group.name) : 'Map a group'} onClose={onClose}>
      <p className="mt-1 text-ink-3">Whoever is in it has this at once, and whoever comes later, too.</p>
      <form method="post" onSubmit={submit} className="mt-4 grid gap-4">
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
        <HoldingFields giving={giving} {...fields} />
        {isElsewhere ? <NotDone title="Not mapped" error={error} /> : null}
        <div className="mt-1 flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" pending={isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
