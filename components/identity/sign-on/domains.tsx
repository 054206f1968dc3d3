'use client'

import { useMutation } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Day } from '#components/platform/values/times.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyField } from '#components/ui/copy-field.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { addSignOnDomain, checkSignOnDomain } from '#lib/identity/client.ts'
import type { Domain, Provider } from '#lib/identity/single-sign-on/contract.ts'

/** Mail domain: verified, or with the DNS record that verifies it. `provider` is shown where there are several. */
export function DomainRow({
  domain: { domain, state, provenBy, provenTime, record },
  provider,
  onVerified,
  onRemove,
}: {
  domain: Domain
  provider: string | undefined
  onVerified: () => void
  onRemove: () => void
}) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => checkSignOnDomain({ params: { domain }, body: {} }),
    onSuccess: onVerified,
  })
  const isVerified = state === 'proven'
  return (
    <li className="border-t border-line px-5 py-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2.5">
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-[550] wrap-anywhere">
            {domain}
            <Badge tone={isVerified ? 'ok' : 'warn'}>{isVerified ? 'Verified' : 'Not verified'}</Badge>
          </h3>
          <p className="text-sm wrap-anywhere text-ink-3">
            {provenTime === undefined ? (
              'Add this record to its DNS to verify it.'
            ) : (
              <>
                {provenBy === 'dns' ? 'Verified by DNS on ' : 'Confirmed by the operator on '}
                <Day at={provenTime} />
              </>
            )}
            {provider === undefined ? null : ` Signs in with ${provider}.`}
          </p>
        </div>
        <div className="flex gap-2">
          {isVerified ? null : (
            <Button pending={isPending} onClick={() => mutate()} aria-label={`Check now: ${domain}`}>
              Check now
            </Button>
          )}
          <Button variant="quiet" onClick={onRemove} aria-label={`Remove ${domain}`}>
            Remove
          </Button>
        </div>
      </div>
      {isVerified ? null : (
        <div className="mt-3 grid gap-3">
          <CopyField label="Name of the TXT record" text={record.name} copyLabel="name" />
          <CopyField label="Text" text={record.text} copyLabel="text" />
          {error ? (
            <div className="min-w-0 wrap-anywhere">
              <NotDone title="Not verified yet" error={error} />
            </div>
          ) : null}
        </div>
      )}
    </li>
  )
}

/** Adds a mail domain for one of the providers. */
export function AddDomain({
  providers,
  onAdded,
  onClose,
}: {
  providers: readonly Provider[]
  onAdded: (message: string) => void
  onClose: () => void
}) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (fields: FormData) =>
      addSignOnDomain({
        body: { domain: String(fields.get('domain')), providerId: String(fields.get('provider')) },
      }),
    onSuccess: ({ domain }) => onAdded(`Added: ${domain}`),
  })
  const submit = (form: HTMLFormElement) => {
    mutate(new FormData(form))
  }
  const wrong = errorAt(error, '/domain')
  return (
    <FormDialog title="Add a domain" submit="Add" pending={isPending} onSubmit={submit} onClose={onClose}>
      <Field
        label="Domain"
        name="domain"
        hint="What follows the @ in your members’ addresses."
        placeholder="example.com"
        maxLength={253}
        required
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        error={wrong && `This ${wrong}.`}
      />
      <fieldset className={`text-sm ${providers.length === 1 ? 'hidden' : ''}`}>
        <legend className="mb-0.5 font-medium">Identity provider</legend>
        {providers.map(({ id, name }, at) => (
          <label key={id} className="flex cursor-pointer items-start gap-2.5 py-1 max-md:py-2">
            <input
              type="radio"
              name="provider"
              value={id}
              defaultChecked={at === 0}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span className="wrap-anywhere">{escapeInvisible(name)}</span>
          </label>
        ))}
      </fieldset>
      {error && !wrong ? <NotDone title="Not added" error={error} /> : null}
    </FormDialog>
  )
}
