'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Giving } from '#components/identity/members/labels.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { addIdentityProvider, changeIdentityProvider } from '#lib/identity/client.ts'
import type { Provider } from '#lib/identity/single-sign-on/contract.ts'
import type { Role } from '#lib/platform/caller/rules.ts'
import { JoinFields } from './join-fields.tsx'
import { asMappings, asRules, RuleFields } from './rule-fields.tsx'

const FIELD_POINTERS = [
  'name',
  'issuer',
  'clientId',
  'clientSecret',
  'mappings',
  'joinRoles',
  'scopes',
  'verifiedClaim',
]
const TEXT = { spellCheck: false, autoCapitalize: 'none', autoComplete: 'off' } as const

/** Adds or edits a provider. The service reads the issuer's published configuration before it saves anything. */
export function ProviderForm({
  provider,
  giving,
  onSaved,
  onClose,
}: {
  provider: Provider | undefined
  giving: Giving
  onSaved: (message: string) => void
  onClose: () => void
}) {
  const [joinRoles, setJoinRoles] = useState<readonly Role[] | null>(provider?.joinRoles ?? null)
  const [rules, setRules] = useState(asRules(provider?.mappings ?? []))
  const { mutate, isPending, error } = useMutation({
    mutationFn: (fields: FormData) => {
      const text = (name: string) => String(fields.get(name) ?? '').trim()
      const [issuer, clientId, clientSecret, verifiedClaim] = [
        text('issuer'),
        text('clientId'),
        text('clientSecret'),
        text('verifiedClaim'),
      ]
      const scopes = text('scopes')
        .split(/[\s,]+/)
        .filter(Boolean)
      const agreed = {
        scopes,
        verifiedClaim,
        joinRoles: joinRoles && [...joinRoles],
        mappings: asMappings(rules),
      }
      const body = { issuer, clientId, ...agreed }
      if (!provider) return addIdentityProvider({ body: { ...body, name: text('name'), clientSecret } })
      return changeIdentityProvider({
        params: { provider_id: provider.id },
        body: clientSecret === '' ? body : { ...body, clientSecret },
      })
    },
    onSuccess: ({ name }) => onSaved(`Saved: ${escapeInvisible(name)}`),
    // The secret must not outlive the dialog.
    gcTime: 0,
  })
  const submit = (form: HTMLFormElement) => {
    const { elements } = form
    // The form is longer than a phone's screen: scroll to the error.
    const onError = (rejection: Error) => {
      const wrong = FIELD_POINTERS.find((name) => errorAt(rejection, `/${name}`)) ?? ''
      const field = elements.namedItem(wrong)
      if (field instanceof HTMLInputElement) field.focus()
    }
    mutate(new FormData(form), { onError })
  }
  const at = (name: string) => errorAt(error, `/${name}`)
  const hasFieldError = FIELD_POINTERS.some(at)
  return (
    <FormDialog
      title={provider ? `Change ${escapeInvisible(provider.name)}` : 'Add a provider'}
      submit={provider ? 'Save' : 'Test and add'}
      pending={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {provider ? null : (
        <Field
          label="Name"
          name="name"
          hint="For example, Entra ID"
          maxLength={60}
          required
          {...TEXT}
          error={at('name') && `The name ${at('name')}.`}
        />
      )}
      <Field
        label="Issuer"
        name="issuer"
        type="url"
        placeholder="https://"
        defaultValue={provider?.issuer}
        maxLength={500}
        required
        {...TEXT}
        error={at('issuer') && `The issuer ${at('issuer')}.`}
      />
      <Field
        label="Client ID"
        name="clientId"
        defaultValue={provider?.clientId}
        maxLength={300}
        required
        {...TEXT}
        error={at('clientId')}
      />
      <Field
        label="Client secret"
        name="clientSecret"
        type="password"
        hint={provider ? 'Leave empty to keep the current secret.' : 'You won’t see it again.'}
        maxLength={1000}
        required={!provider}
        {...TEXT}
        autoComplete="new-password"
        error={at('clientSecret')}
      />
      <JoinFields value={joinRoles} onChange={setJoinRoles} error={at('joinRoles')} />
      <RuleFields value={rules} giving={giving} onChange={setRules} error={at('mappings')} />
      <MoreFields provider={provider} errorAt={at} />
      {error && !hasFieldError ? <NotDone title="Not saved" error={error} /> : null}
    </FormDialog>
  )
}

/** Rarely changed settings of a provider. */
function MoreFields({
  provider,
  errorAt,
}: {
  provider: Provider | undefined
  errorAt: (name: string) => string | undefined
}) {
  return (
    <details className="text-sm">
      <summary className="cursor-pointer rounded-sm font-medium text-ink-2 hover:text-ink">More</summary>
      <div className="mt-3 grid gap-4">
        <Field
          label="Claim for a verified email address"
          name="verifiedClaim"
          defaultValue={provider?.verifiedClaim ?? 'email_verified'}
          hint="Entra ID: xms_edov."
          required
          maxLength={100}
          {...TEXT}
          error={errorAt('verifiedClaim')}
        />
        <Field
          label="Scopes in addition to openid"
          name="scopes"
          defaultValue={(provider?.scopes ?? ['email', 'profile']).join(' ')}
          {...TEXT}
          error={errorAt('scopes')}
        />
      </div>
    </details>
  )
}
