import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Checkboxes } from '#components/ui/checkboxes.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { SelectField } from '#components/ui/select-field.tsx'
import { ROLE_NAMES, type Role } from '#lib/platform/caller/rules.ts'

/** Values that each secret has. */
export type SecretValues = { name: string; roles: Role[]; validDays: number | null }

type CreateSecretProps<Created> = {
  kind: 'key' | 'token'
  variant?: 'wide'
  nameExample: string
  roles: { legend: string; choices: readonly Role[]; selected: readonly Role[]; hint?: string }
  /** Further fields with errors. */
  fields?: readonly string[]
  create: (values: SecretValues, form: FormData) => Promise<Created>
  renderSecret: (created: Created) => ReactNode
  /** Renders the further fields, given the error at each. */
  children: (at: (field: string) => string | undefined) => ReactNode
  onCreated: () => void
  onClose: () => void
}

/** Dialog that creates a key or a token with a name, roles and an expiry, and then shows its secret once. */
export function CreateSecret<Created>(props: CreateSecretProps<Created>) {
  const {
    kind,
    variant,
    nameExample,
    roles,
    fields = [],
    create,
    renderSecret,
    children,
    onCreated,
    onClose,
  } = props
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: (form: FormData) => create(valuesOf(form), form),
    onSuccess: onCreated,
    // The secret must not outlive the dialog.
    gcTime: 0,
  })
  const title = kind === 'key' ? 'Key' : 'Token'
  if (data)
    return (
      <Dialog title={`${title} created`} onClose={onClose}>
        {renderSecret(data)}
      </Dialog>
    )
  const at = (field: string) => errorAt(error, `/${field}`)
  const [nameError, rolesError] = [at('name'), at('roles')]
  return (
    <FormDialog
      title={`Create ${kind}`}
      {...(variant ? { variant } : {})}
      submit={`Create ${kind}`}
      pending={isPending}
      onSubmit={(form) => mutate(new FormData(form))}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        hint={nameExample}
        maxLength={100}
        required
        autoComplete="off"
        error={nameError && `The name ${nameError}.`}
      />
      <Checkboxes
        {...roles}
        name="roles"
        choices={roles.choices.map((role) => ({ value: role, text: ROLE_NAMES[role] }))}
        error={rolesError && (rolesError.startsWith('has') ? `The ${kind} ${rolesError}.` : 'Choose a role.')}
      />
      {children(at)}
      {error && !['name', 'roles', ...fields].some(at) ? (
        <NotDone title={`${title} not created`} error={error} />
      ) : null}
    </FormDialog>
  )
}

function daysText(count: number): string {
  if (count % 365 === 0) return count === 365 ? '1 year' : `${count / 365} years`
  return count === 1 ? '1 day' : `${count} days`
}

/** Selects the days until a secret expires, or never where that is allowed. */
export function ExpiryField({
  days,
  selected,
  withoutEnd,
  note,
}: {
  days: readonly number[]
  selected: string
  withoutEnd: boolean
  note?: string
}) {
  return (
    <SelectField label="Expires after" name="days" defaultValue={selected} {...(note ? { hint: note } : {})}>
      {days.map((count) => (
        <option key={count} value={count}>
          {daysText(count)}
        </option>
      ))}
      {withoutEnd ? <option value="never">Never</option> : null}
    </SelectField>
  )
}

function valuesOf(form: FormData): SecretValues {
  const days = String(form.get('days'))
  return {
    name: String(form.get('name')),
    roles: form.getAll('roles') as Role[],
    validDays: days === 'never' ? null : Number(days),
  }
}
