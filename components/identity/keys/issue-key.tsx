'use client'

import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { errorAt } from '#components/platform/problem/error-at.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { visible } from '#components/ui/visible.ts'
import { issueKey } from '#lib/identity/client.ts'
import type { Owner } from '#lib/identity/keys/rules.ts'
import { ROLE_NAMES, type Role } from '#lib/platform/caller/rules.ts'
import { Checkboxes } from './checkboxes.tsx'
import { Expiry } from './expiry.tsx'
import type { Issuer } from './issuer.ts'
import { OwnerChoice } from './owner-choice.tsx'
import { ShownKey } from './shown-key.tsx'

type Body = NonNullable<Parameters<typeof issueKey>[0]['body']>

/** Asks what a new key is to open, issues it, and shows it once. */
export function IssueKey({
  issuer,
  onIssued,
  onClose,
}: {
  issuer: Issuer
  onIssued: () => void
  onClose: () => void
}) {
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: (body: Body) => issueKey({ body }),
    onSuccess: onIssued,
    // The key is to be nowhere once this is closed.
    gcTime: 0,
  })
  if (data)
    return (
      <Dialog title="Key issued" onClose={onClose}>
        <ShownKey secret={data.secret} onDone={onClose} />
      </Dialog>
    )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isPending) mutate(bodyOf(new FormData(event.currentTarget)))
  }
  const at = (field: string) => errorAt(error, `/${field}`)
  const [name, roles, addresses] = [at('name'), at('roles'), at('addresses')]
  const isShown = name ?? roles ?? addresses
  return (
    <Dialog title="Issue a key" onClose={onClose}>
      <form method="post" onSubmit={submit} className="mt-4 grid gap-4.5">
        <Field
          label="Name"
          name="name"
          hint="What it is for, such as ERP."
          maxLength={100}
          required
          autoComplete="off"
          error={name && `The name ${name}.`}
        />
        <Checkboxes
          legend="Roles"
          name="roles"
          choices={issuer.roles.map((role) => ({ value: role, text: ROLE_NAMES[role] }))}
          {...(issuer.roles.length === 0 ? { hint: 'You have no role that a key could have.' } : {})}
          error={roles && (roles.startsWith('has') ? `The key ${roles}.` : 'Choose a role.')}
        />
        {issuer.profiles.length > 1 ? (
          <Checkboxes
            legend="Billing profiles"
            name="profiles"
            choices={issuer.profiles.map((one) => ({ value: one.id, text: visible(one.name) }))}
            hint="None chosen: all that you may see."
          />
        ) : null}
        <Expiry limits={issuer.limits} />
        <Field
          label="Only from these addresses"
          name="addresses"
          hint="Networks such as 192.0.2.0/24, with spaces between. Empty: from anywhere."
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          error={addresses && `One of them ${addresses}.`}
        />
        {issuer.isAdmin ? <OwnerChoice customer={issuer.customer} /> : null}
        {error && !isShown ? <NotDone title="Not issued" error={error} /> : null}
        <div className="mt-1 flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" pending={isPending}>
            Issue key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function bodyOf(given: FormData): Body {
  const [profiles, addresses] = [given.getAll('profiles').map(String), String(given.get('addresses'))]
  const ranges = addresses.split(/[\s,;]+/).filter(Boolean)
  const days = String(given.get('days'))
  return {
    name: String(given.get('name')),
    roles: given.getAll('roles') as Role[],
    owner: (given.get('owner') ?? 'MEMBER') as Owner,
    validDays: days === 'never' ? null : Number(days),
    ...(profiles.length > 0 ? { billingProfiles: profiles } : {}),
    ...(ranges.length > 0 ? { addresses: ranges } : {}),
  }
}
