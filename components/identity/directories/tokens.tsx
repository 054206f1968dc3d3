'use client'

import { useMutation } from '@tanstack/react-query'
import { rolesText } from '#components/identity/members/labels.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { errorAt } from '#components/platform/problem/why-not.ts'
import { Day, Moment } from '#components/platform/values/times.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Checkboxes } from '#components/ui/checkboxes.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { CopyField } from '#components/ui/copy-field.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Field } from '#components/ui/field.tsx'
import { FormDialog } from '#components/ui/form-dialog.tsx'
import { SecretOnce } from '#components/ui/secret-once.tsx'
import { SelectField } from '#components/ui/select-field.tsx'
import { issueDirectoryToken, revokeDirectoryToken } from '#lib/identity/client.ts'
import type { Token } from '#lib/identity/directories/contract.ts'
import { ROLE_NAMES, ROLES, type Role } from '#lib/platform/caller/rules.ts'

type Body = NonNullable<Parameters<typeof issueDirectoryToken>[0]['body']>

/** Asks which access a new token may grant, issues the token, and shows it once. */
export function IssueToken({ onIssued, onClose }: { onIssued: () => void; onClose: () => void }) {
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: (body: Body) => issueDirectoryToken({ body }),
    onSuccess: onIssued,
    // The token must not outlive the dialog.
    gcTime: 0,
  })
  if (data)
    return (
      <Dialog title="Token created" onClose={onClose}>
        <SecretOnce
          instructions="Copy the token now, and enter it at your directory. It cannot be shown again."
          onDone={onClose}
        >
          <CopyField label="Token" text={data.secret} copyLabel="token" />
        </SecretOnce>
      </Dialog>
    )
  const submit = (form: HTMLFormElement) => {
    const fields = new FormData(form)
    const days = String(fields.get('days'))
    mutate({
      name: String(fields.get('name')),
      roles: fields.getAll('roles') as Role[],
      validDays: days === 'never' ? null : Number(days),
    })
  }
  const [name, roles] = [errorAt(error, '/name'), errorAt(error, '/roles')]
  return (
    <FormDialog
      title="Create token"
      submit="Create token"
      pending={isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        hint="Such as Entra ID. The history calls it so."
        maxLength={100}
        required
        autoComplete="off"
        error={name && `The name ${name}.`}
      />
      <Checkboxes
        legend="What the directory may give, at most"
        name="roles"
        choices={ROLES.map((role) => ({ value: role, text: ROLE_NAMES[role] }))}
        selected={['it-manager', 'finance-user']}
        hint="With Admin, the directory can make anyone an Admin."
        error={roles && 'Choose a role.'}
      />
      <SelectField label="Expires after" name="days" defaultValue="365">
        <option value="90">90 days</option>
        <option value="180">180 days</option>
        <option value="365">1 year</option>
        <option value="730">2 years</option>
        <option value="never">Never</option>
      </SelectField>
      {error && !name && !roles ? <NotDone title="Token not created" error={error} /> : null}
    </FormDialog>
  )
}

const ENDED = { EXPIRED: 'Expired', REVOKED: 'Revoked' } as const

/** Token with the access that it may grant, its last use, and its expiry. */
export function TokenRow({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const { hint, roles, status, expireTime, lastUseTime } = token
  const name = escapeInvisible(token.name)
  const isActive = status === 'ACTIVE'
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2.5 border-t border-line px-5 py-4">
      <div className="min-w-0 flex-1 basis-60">
        <h3
          className={`flex flex-wrap items-center gap-x-2.5 gap-y-1 font-[550] wrap-anywhere ${isActive ? '' : 'text-ink-2'}`}
        >
          {name}
          <code className="text-xs font-normal text-ink-3">{hint}</code>
          {isActive ? null : <Badge>{ENDED[status]}</Badge>}
        </h3>
        <p className="text-sm text-ink-3">May give: {rolesText(roles)}</p>
        <p className="text-sm text-ink-3">
          {lastUseTime === undefined ? (
            'Never used'
          ) : (
            <>
              Last use <Moment at={lastUseTime} /> UTC
            </>
          )}
          {isActive ? ', ' : null}
          {isActive && expireTime === undefined ? 'without an end' : null}
          {isActive && expireTime !== undefined ? (
            <>
              ends on <Day at={expireTime} />
            </>
          ) : null}
        </p>
      </div>
      {isActive ? (
        <Button onClick={onRevoke} aria-label={`Revoke ${name}`}>
          Revoke
        </Button>
      ) : null}
    </li>
  )
}

/** Asks for confirmation before revoking a token. */
export function RevokeToken({
  token,
  onRevoked,
  onClose,
}: {
  token: Token
  onRevoked: (message: string) => void
  onClose: () => void
}) {
  const name = escapeInvisible(token.name)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => revokeDirectoryToken({ params: { token_id: token.id }, body: {} }),
    onSuccess: () => onRevoked(`Revoked: ${name}`),
  })
  return (
    <Confirm
      title={`Revoke ${name}?`}
      button="Revoke the token"
      pending={isPending}
      refused={error ? <NotDone title="Not revoked" error={error} /> : null}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      Your directory can no longer connect with this token. Members and their access stay. This cannot be
      undone.
    </Confirm>
  )
}
