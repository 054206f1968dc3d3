'use client'

import { useMutation } from '@tanstack/react-query'
import { CreateSecret, ExpiryField } from '#components/identity/keys/create-secret.tsx'
import { rolesText } from '#components/identity/members/labels.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Day, Moment } from '#components/platform/values/times.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { CopyField } from '#components/ui/copy-field.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { SecretOnce } from '#components/ui/secret-once.tsx'
import { issueDirectoryToken, revokeDirectoryToken } from '#lib/identity/client.ts'
import type { Token } from '#lib/identity/directories/contract.ts'
import { ROLES } from '#lib/platform/caller/rules.ts'

const DAY_CHOICES = [90, 180, 365, 730]

/** Asks which access a new token may grant, creates the token, and shows it once. */
export function IssueToken({ onIssued, onClose }: { onIssued: () => void; onClose: () => void }) {
  return (
    <CreateSecret
      kind="token"
      nameExample="For example, Entra ID"
      roles={{
        legend: 'Roles that the directory can grant',
        choices: ROLES,
        selected: ['it-manager', 'finance-user'],
        hint: 'With Admin, the directory can make anyone an Admin.',
      }}
      create={(body) => issueDirectoryToken({ body })}
      renderSecret={({ secret }) => (
        <SecretOnce
          instructions="Copy the token now, and enter it at your directory. It cannot be shown again."
          onDone={onClose}
        >
          <CopyField label="Token" text={secret} copyLabel="token" />
        </SecretOnce>
      )}
      onCreated={onIssued}
      onClose={onClose}
    >
      {() => <ExpiryField days={DAY_CHOICES} selected="365" withoutEnd />}
    </CreateSecret>
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
        <p className="text-sm text-ink-3">Can grant: {rolesText(roles)}</p>
        <p className="text-sm text-ink-3">
          {lastUseTime === undefined ? (
            'Never used'
          ) : (
            <>
              Last use <Moment at={lastUseTime} /> UTC
            </>
          )}
          {isActive ? ', ' : null}
          {isActive && expireTime === undefined ? 'never expires' : null}
          {isActive && expireTime !== undefined ? (
            <>
              expires on <Day at={expireTime} />
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
