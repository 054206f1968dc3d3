'use client'

import { useMutation } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { visible } from '#components/ui/visible.ts'
import { revokeDirectoryToken } from '#lib/identity/client.ts'
import type { Token } from '#lib/identity/directories/contract.ts'

/** Asks whether a token is to end. */
export function RevokeToken({
  token,
  onRevoked,
  onClose,
}: {
  token: Token
  onRevoked: (said: string) => void
  onClose: () => void
}) {
  const name = visible(token.name)
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
      onGo={() => mutate()}
      onClose={onClose}
    >
      A directory that uses it is refused from its next request on. Members and what they have stay. This can
      not be undone.
    </Confirm>
  )
}
