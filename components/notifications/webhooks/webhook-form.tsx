'use client'

import { useMutation } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Checkboxes } from '#components/ui/checkboxes.tsx'
import { CopyField } from '#components/ui/copy-field.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { SecretOnce } from '#components/ui/secret-once.tsx'
import { SelectField } from '#components/ui/select-field.tsx'
import { addWebhook, changeWebhook, rotateWebhookSecret } from '#lib/notifications/webhooks/client.ts'
import type { Webhook } from '#lib/notifications/webhooks/contract.ts'
import {
  DEFAULT_OVERLAP,
  NAME_MAX,
  OVERLAPS,
  type Overlap,
  URL_MAX,
} from '#lib/notifications/webhooks/rules.ts'
import { EVENT_KINDS, type EventKind } from '#lib/platform/outbox/rules.ts'
import { KIND_LABELS, OVERLAP_LABELS } from './labels.ts'

const NOTES = {
  url: { hint: 'A public https address.' },
  kinds: { hint: 'Leave empty for all events, including new kinds.' },
  profiles: { hint: 'Leave empty for all profiles you can access. Applies to events about invoices.' },
}

/** Billing profiles that the caller may see. */
export type Profiles = readonly { id: string; name: string }[]

/** Adds a webhook and shows its secret once, or changes `webhook`. */
export function WebhookForm({
  webhook,
  profiles,
  onSaved,
  onClose,
}: {
  webhook: Webhook | undefined
  profiles: Profiles
  /** Called with a message, or without one while the dialog shows the secret. */
  onSaved: (message?: string) => void
  onClose: () => void
}) {
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async (fields: Fields): Promise<{ secret?: string }> => {
      if (!webhook) return addWebhook({ body: withoutNull(fields) })
      await changeWebhook({ params: { webhook_id: webhook.id }, body: fields })
      return {}
    },
    onSuccess: (_, { name }) => onSaved(webhook ? `Saved: ${escapeInvisible(name)}` : undefined),
    // The secret must not outlive the dialog.
    gcTime: 0,
  })
  if (data?.secret) return <ShowSecret title="Webhook added" secret={data.secret} onClose={onClose} />
  const submit = (form: HTMLFormElement) => {
    mutate(fieldsOf(new FormData(form)))
  }
  const [name, url, selected] = ['/name', '/url', '/billingProfiles'].map((pointer) =>
    errorAt(error, pointer),
  )
  return (
    <FormDialog
      title={webhook ? 'Edit webhook' : 'Add webhook'}
      submit={webhook ? 'Save' : 'Add webhook'}
      pending={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        maxLength={NAME_MAX}
        required
        autoComplete="off"
        defaultValue={webhook?.name}
        error={name && `The name ${name}.`}
      />
      <Field
        label="URL"
        name="url"
        type="url"
        {...NOTES.url}
        placeholder="https://example.com/hooks"
        maxLength={URL_MAX}
        required
        autoComplete="off"
        spellCheck={false}
        defaultValue={webhook?.url}
        error={url && (url.startsWith('must') ? `The URL ${url}.` : url)}
      />
      <Checkboxes
        legend="Events"
        name="kinds"
        choices={EVENT_KINDS.map((kind) => ({ value: kind, text: KIND_LABELS[kind] ?? kind }))}
        selected={webhook?.kinds ?? []}
        {...NOTES.kinds}
      />
      {profiles.length > 1 ? (
        <Checkboxes
          legend="Billing profiles"
          name="profiles"
          choices={profiles.map((one) => ({ value: one.id, text: escapeInvisible(one.name) }))}
          selected={webhook?.billingProfiles ?? []}
          {...NOTES.profiles}
          error={selected}
        />
      ) : null}
      {error && !name && !url && !selected ? <NotDone title="Not saved" error={error} /> : null}
    </FormDialog>
  )
}

type Fields = { name: string; url: string; kinds: EventKind[] | null; billingProfiles: string[] | null }

function fieldsOf(fields: FormData): Fields {
  const all = (name: string) => {
    const values = fields.getAll(name).map(String)
    return values.length > 0 ? values : null
  }
  return {
    name: String(fields.get('name')),
    url: String(fields.get('url')),
    kinds: all('kinds') as EventKind[] | null,
    billingProfiles: all('profiles'),
  }
}

function withoutNull({ name, url, kinds, billingProfiles }: Fields) {
  return { name, url, ...(kinds ? { kinds } : {}), ...(billingProfiles ? { billingProfiles } : {}) }
}

function ShowSecret({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <SecretOnce instructions="Store the signing secret securely. You won't see it again." onDone={onClose}>
        <CopyField label="Signing secret" text={secret} copyLabel="signing secret" />
      </SecretOnce>
    </Dialog>
  )
}

/** Rotates the secret of a webhook, and shows the new one once. */
export function RotateSecret({
  webhook,
  onSaved,
  onClose,
}: {
  webhook: Webhook
  onSaved: () => void
  onClose: () => void
}) {
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: (overlap: Overlap) =>
      rotateWebhookSecret({ params: { webhook_id: webhook.id }, body: { overlap } }),
    onSuccess: onSaved,
    gcTime: 0,
  })
  if (data) return <ShowSecret title="Secret rotated" secret={data.secret} onClose={onClose} />
  const submit = (form: HTMLFormElement) => {
    mutate(String(new FormData(form).get('overlap')) as Overlap)
  }
  return (
    <FormDialog
      title="Rotate secret"
      about={
        <>
          {escapeInvisible(webhook.name)} gets a new signing secret. During the overlap, each event carries
          both signatures.
        </>
      }
      submit="Rotate secret"
      pending={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField label="Keep the current secret for" name="overlap" defaultValue={DEFAULT_OVERLAP}>
        {OVERLAPS.map((overlap) => (
          <option key={overlap} value={overlap}>
            {OVERLAP_LABELS[overlap]}
          </option>
        ))}
      </SelectField>
      {error ? <NotDone title="Not rotated" error={error} /> : null}
    </FormDialog>
  )
}
