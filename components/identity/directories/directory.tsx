'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Giving } from '#components/identity/members/labels.ts'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyField } from '#components/ui/copy-field.tsx'
import { Nothing, Section } from '#components/ui/section.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { readDirectory } from '#lib/identity/client.ts'
import type { Group, Token } from '#lib/identity/directories/contract.ts'
import { GroupRow, MapGroup, UnmapGroup } from './groups.tsx'
import { IssueToken, RevokeToken, TokenRow } from './tokens.tsx'

type Open =
  | { is: 'issue' }
  | { is: 'revoke'; token: Token }
  | { is: 'map'; group?: Group }
  | { is: 'unmap'; group: Group }

/** Tokens that let a directory manage members, and the access that its groups grant. */
export function Directory({ giving }: { giving: Giving }) {
  const [open, setOpen] = useState<Open>()
  const toast = useToast()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: readDirectory.key({}),
    queryFn: ({ signal }) => readDirectory({}, signal),
  })
  const close = () => setOpen(undefined)
  const refresh = () => client.invalidateQueries({ queryKey: ['readDirectory'] })
  const done = (message: string) => {
    close()
    toast(message)
    refresh()
  }
  if (!data)
    return error ? (
      <RefreshFailed label="settings" error={error} onRetry={refetch} />
    ) : (
      <SkeletonRows count={6} />
    )
  const { address, tokens, groups } = data
  const isIn = tokens.some(({ status }) => status === 'ACTIVE')
  return (
    <div className="grid max-w-220 gap-5">
      {error ? <RefreshFailed label="settings" error={error} onRetry={refetch} /> : null}
      <Section title="SCIM 2.0" about="Enter this address at your directory, and a token from below.">
        <div className="border-t border-line px-5 py-4">
          <CopyField label="Address" text={address} copyLabel="address" />
        </div>
      </Section>
      <Section
        title="Tokens"
        about="Tokens your directory uses to connect. They open nothing but SCIM."
        action={
          <Button variant={isIn ? 'plain' : 'primary'} onClick={() => setOpen({ is: 'issue' })}>
            Create token
          </Button>
        }
      >
        {tokens.length === 0 ? <Nothing>No tokens yet</Nothing> : null}
        <ul>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => setOpen({ is: 'revoke', token })} />
          ))}
        </ul>
      </Section>
      <Section
        title="Groups"
        about="Roles granted by directory groups. Unmapped groups have no effect."
        action={<Button onClick={() => setOpen({ is: 'map' })}>Map a group</Button>}
      >
        {groups.length === 0 ? (
          <Nothing>None yet. Add them in your directory, or map its groups.</Nothing>
        ) : null}
        <ul>
          {groups.map((group) => (
            <GroupRow
              key={group.id}
              group={group}
              giving={giving}
              onMap={() => setOpen({ is: 'map', group })}
              onUnmap={() => setOpen({ is: 'unmap', group })}
            />
          ))}
        </ul>
      </Section>
      {open?.is === 'issue' ? <IssueToken onIssued={refresh} onClose={close} /> : null}
      {open?.is === 'revoke' ? <RevokeToken token={open.token} onRevoked={done} onClose={close} /> : null}
      {open?.is === 'map' ? (
        <MapGroup group={open.group} giving={giving} onMapped={done} onClose={close} />
      ) : null}
      {open?.is === 'unmap' ? <UnmapGroup group={open.group} onUnmapped={done} onClose={close} /> : null}
    </div>
  )
}
