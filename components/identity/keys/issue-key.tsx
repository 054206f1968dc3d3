'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Button } from '#components/ui/button.tsx'
import { Checkboxes } from '#components/ui/checkboxes.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { SelectField } from '#components/ui/select-field.tsx'
import { issueKey } from '#lib/identity/client.ts'
import { daysOf, type KeyLimits, type Owner } from '#lib/identity/keys/rules.ts'
import { ROLE_NAMES, type Role } from '#lib/platform/caller/rules.ts'
import { IssuedKey } from './issued-key.tsx'
import type { Issuer } from './issuer.ts'

type Body = NonNullable<Parameters<typeof issueKey>[0]['body']>

/** Button that issues a key. */
export function CreateKey({ issuer }: { issuer: Issuer }) {
  const [isOpen, setIsOpen] = useState(false)
  const client = useQueryClient()
  return (
    <>
      <Button variant="primary" onClick={() => setIsOpen(true)}>
        Create key
      </Button>
      {isOpen ? (
        <IssueKey
          issuer={issuer}
          onIssued={() => client.invalidateQueries({ queryKey: ['listKeys'] })}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </>
  )
}

/** Asks for the access of a new key, issues the key, and shows it once. */
function IssueKey({
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
    // The key must not outlive the dialog.
    gcTime: 0,
  })
  if (data)
    return (
      <Dialog title="Key created" onClose={onClose}>
        <IssuedKey secret={data.secret} roles={data.key.roles} onDone={onClose} />
      </Dialog>
    )
  const submit = (form: HTMLFormElement) => {
    mutate(bodyOf(new FormData(form)))
  }
  const at = (field: string) => errorAt(error, `/${field}`)
  const [name, roles, addresses] = [at('name'), at('roles'), at('addresses')]
  const hasFieldError = name ?? roles ?? addresses
  return (
    <FormDialog
      title="Create key"
      variant="wide"
      submit="Create key"
      pending={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        hint="For example, ERP"
        maxLength={100}
        required
        autoComplete="off"
        error={name && `The name ${name}.`}
      />
      <Checkboxes
        legend="Roles"
        name="roles"
        choices={issuer.roles.map((role) => ({ value: role, text: ROLE_NAMES[role] }))}
        selected={issuer.roles.filter((role) => role === 'finance-user' || issuer.roles.length === 1)}
        {...(issuer.roles.length === 0 ? { hint: 'None of your roles can be given to a key.' } : {})}
        error={roles && (roles.startsWith('has') ? `The key ${roles}.` : 'Choose a role.')}
      />
      {issuer.profiles.length > 1 ? (
        <Checkboxes
          legend="Billing profiles"
          name="profiles"
          choices={issuer.profiles.map((one) => ({ value: one.id, text: escapeInvisible(one.name) }))}
          hint="Leave empty for all profiles you can access."
        />
      ) : null}
      <div className="grid items-start gap-4 md:grid-cols-2">
        <Expiry limits={issuer.limits} />
        <Field
          label="Allowed addresses"
          name="addresses"
          hint="Networks such as 192.0.2.0/24. Leave empty for any."
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          error={addresses && `One of them ${addresses}.`}
        />
      </div>
      {issuer.isAdmin ? <OwnerChoice customer={issuer.customer} /> : null}
      {error && !hasFieldError ? <NotDone title="Key not created" error={error} /> : null}
    </FormDialog>
  )
}

function bodyOf(fields: FormData): Body {
  const [profiles, addresses] = [fields.getAll('profiles').map(String), String(fields.get('addresses'))]
  const ranges = addresses.split(/[\s,;]+/).filter(Boolean)
  const days = String(fields.get('days'))
  return {
    name: String(fields.get('name')),
    roles: fields.getAll('roles') as Role[],
    owner: (fields.get('owner') ?? 'MEMBER') as Owner,
    validDays: days === 'never' ? null : Number(days),
    ...(profiles.length > 0 ? { billingProfiles: profiles } : {}),
    ...(ranges.length > 0 ? { addresses: ranges } : {}),
  }
}

const DAY_CHOICES = [7, 30, 90, 180, 365]

/** Selects the days until a key expires, or never where that is allowed. */
function Expiry({ limits }: { limits: KeyLimits }) {
  const { mostDays, withoutEnd } = limits
  const choices = [...new Set([...DAY_CHOICES.filter((days) => days < mostDays), mostDays])]
  return (
    <SelectField
      label="Expires after"
      name="days"
      defaultValue={String(daysOf({}, limits))}
      hint="We’ll email you a week before, if email is set up."
    >
      {choices.map((days) => (
        <option key={days} value={days}>
          {days === 1 ? '1 day' : `${days} days`}
        </option>
      ))}
      {withoutEnd ? <option value="never">Never</option> : null}
    </SelectField>
  )
}

/** Selects the owner of a key; for Admins. */
function OwnerChoice({ customer }: { customer: string }) {
  const choices = [
    { value: 'MEMBER', text: 'You', means: 'Stops working if you leave. Limited to your own permissions.' },
    { value: 'CUSTOMER', text: escapeInvisible(customer), means: 'Keeps working if you leave.' },
  ]
  return (
    <fieldset className="grid gap-x-4 gap-y-0.5 text-sm md:grid-cols-2">
      <legend className="mb-1 font-medium">Belongs to</legend>
      {choices.map(({ value, text, means }, at) => (
        <label key={value} className="flex cursor-pointer items-start gap-2.5 py-1.25">
          <input
            type="radio"
            name="owner"
            value={value}
            defaultChecked={at === 0}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span className="wrap-anywhere">
            {text}
            <span className="block text-xs text-ink-3">{means}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
