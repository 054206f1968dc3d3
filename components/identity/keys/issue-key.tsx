'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Checkboxes } from '#components/ui/checkboxes.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { issueKey } from '#lib/identity/client.ts'
import { daysOf, type Owner } from '#lib/identity/keys/rules.ts'
import { CreateSecret, ExpiryField, type SecretValues } from './create-secret.tsx'
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
  const { mostDays, withoutEnd } = issuer.limits
  return (
    <CreateSecret
      kind="key"
      variant="wide"
      nameExample="For example, ERP"
      roles={{
        legend: 'Roles',
        choices: issuer.roles,
        selected: issuer.roles.filter((role) => role === 'finance-user' || issuer.roles.length === 1),
        ...(issuer.roles.length === 0 ? { hint: 'None of your roles can be given to a key.' } : {}),
      }}
      fields={['addresses']}
      create={(values, form) => issueKey({ body: bodyOf(values, form) })}
      renderSecret={({ secret, key }) => <IssuedKey secret={secret} roles={key.roles} onDone={onClose} />}
      onCreated={onIssued}
      onClose={onClose}
    >
      {(at) => (
        <>
          {issuer.profiles.length > 1 ? (
            <Checkboxes
              legend="Billing profiles"
              name="profiles"
              choices={issuer.profiles.map((one) => ({ value: one.id, text: escapeInvisible(one.name) }))}
              hint="Leave empty for all profiles you can access."
            />
          ) : null}
          <div className="grid items-start gap-4 md:grid-cols-2">
            <ExpiryField
              days={[...new Set([...DAY_CHOICES.filter((days) => days < mostDays), mostDays])]}
              selected={String(daysOf({}, issuer.limits))}
              withoutEnd={withoutEnd}
              note="We’ll email you a week before, if email is set up."
            />
            <Field
              label="Allowed addresses"
              name="addresses"
              hint="Networks such as 192.0.2.0/24. Leave empty for any."
              spellCheck={false}
              autoCapitalize="none"
              autoComplete="off"
              error={at('addresses') && `One of them ${at('addresses')}.`}
            />
          </div>
          {issuer.isAdmin ? <OwnerChoice customer={issuer.customer} /> : null}
        </>
      )}
    </CreateSecret>
  )
}

function bodyOf(values: SecretValues, fields: FormData): Body {
  const [profiles, addresses] = [fields.getAll('profiles').map(String), String(fields.get('addresses'))]
  const ranges = addresses.split(/[\s,;]+/).filter(Boolean)
  return {
    ...values,
    owner: (fields.get('owner') ?? 'MEMBER') as Owner,
    ...(profiles.length > 0 ? { billingProfiles: profiles } : {}),
    ...(ranges.length > 0 ? { addresses: ranges } : {}),
  }
}

const DAY_CHOICES = [7, 30, 90, 180, 365]

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
