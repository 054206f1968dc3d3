'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { readMember } from '#lib/identity/client.ts'
import type { Member, MemberLink } from '#lib/identity/members/contract.ts'
import { tagOf } from '#lib/platform/api/client.ts'
import { ChangeMember } from './change-member.tsx'
import type { Giving } from './labels.ts'
import { MemberActions } from './member-actions.tsx'
import { MemberLinkDialog } from './member-link-dialog.tsx'

/**
 * Actions on one member. Opening the dialog reads the member again, so that Admins only change values that they see;
 * `onDone` is called with a sentence on the result.
 */
export function MemberDialog({
  member: { id, name: nameBefore },
  giving,
  isSelf,
  onDone,
  onClose,
}: {
  member: Member
  giving: Giving
  isSelf: boolean
  onDone: (message?: string) => void
  onClose: () => void
}) {
  const [link, setLink] = useState<MemberLink>()
  const input = { params: { member_id: id } }
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['member with its tag', id],
    queryFn: async ({ signal }) => {
      const member = await readMember(input, signal)
      return { member, etag: tagOf(member) }
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const name = escapeInvisible(data?.member.name ?? nameBefore)
  if (link)
    return (
      <Dialog title={`Link for ${name}`} onClose={onClose}>
        <MemberLinkDialog link={link} name={name} onClose={onClose} />
      </Dialog>
    )
  const done = (message: string) => {
    onDone(message)
    onClose()
  }
  return (
    <Dialog title={name} onClose={onClose}>
      {data ? (
        <>
          <p className="mt-0.5 text-sm wrap-anywhere text-ink-3">{data.member.email}</p>
          <ChangeMember
            key={data.etag}
            member={data.member}
            etag={data.etag}
            giving={giving}
            isSelf={isSelf}
            isRefreshing={isFetching}
            onReadAgain={() => refetch()}
            onSaved={(saved) => done(`Saved: ${escapeInvisible(saved.name)}`)}
            onClose={onClose}
          />
          <hr className="my-4.5 border-line" />
          <MemberActions
            member={data.member}
            isSelf={isSelf}
            onLink={(made) => {
              setLink(made)
              onDone()
            }}
            onDone={done}
          />
        </>
      ) : error ? (
        <div className="mt-3 grid gap-3">
          <NotDone title="Not read" error={error} />
          <div className="flex justify-end">
            <Button onClick={onClose}>Close</Button>
          </div>
        </div>
      ) : (
        <div className="mt-3">
          <SkeletonRows count={5} />
        </div>
      )}
    </Dialog>
  )
}
