'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarDays } from 'lucide-react'
import { useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Moment } from '#components/platform/values/times.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyField } from '#components/ui/copy-field.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { SecretOnce } from '#components/ui/secret-once.tsx'
import { Spinner } from '#components/ui/spinner.tsx'
import { makeRenewalFeed, readRenewalFeed, revokeRenewalFeed } from '#lib/costs/client.ts'
import type { RenewalFeed } from '#lib/costs/renewal-feeds/contract.ts'

/** Button that opens the dialog of the member's calendar link. */
export function CalendarFeed() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <CalendarDays aria-hidden="true" className="size-4" />
        Calendar feed
      </Button>
      {isOpen ? <FeedDialog onClose={() => setIsOpen(false)} /> : null}
    </>
  )
}

function FeedDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const cacheFeed = (feed: RenewalFeed) => client.setQueryData(readRenewalFeed.key({}), feed)
  const { data, error } = useQuery({
    queryKey: readRenewalFeed.key({}),
    queryFn: ({ signal }) => readRenewalFeed({}, signal),
    // A calendar may have fetched the feed in the meantime.
    staleTime: 0,
  })
  const make = useMutation({
    mutationFn: () => makeRenewalFeed({ body: {} }),
    onSuccess: ({ feed }) => cacheFeed(feed),
    // The link must not outlive the dialog.
    gcTime: 0,
  })
  const revoke = useMutation({ mutationFn: () => revokeRenewalFeed({ body: {} }), onSuccess: cacheFeed })
  if (make.data)
    return (
      <Dialog title="Calendar link" onClose={onClose}>
        <SecretOnce
          instructions="Copy the link now, and subscribe to it in your calendar. It cannot be shown again. Anyone with the link can see the renewals that you can see: keep it private."
          onDone={onClose}
        >
          <CopyField label="Link" text={make.data.url} copyLabel="link" />
        </SecretOnce>
      </Dialog>
    )
  return (
    <Dialog title="Calendar feed" onClose={onClose}>
      <div className="mt-2 grid gap-3">
        <p className="text-ink-2">
          A private link for your calendar, with the day of each renewal and the last day to decide. It shows
          what you can access, and stops working when you revoke it or lose access.
        </p>
        {data ? <State feed={data} isRevoked={revoke.isSuccess} /> : null}
        {error ? <NotDone title="Not read" error={error} /> : null}
        {make.error ? <NotDone title="Not created" error={make.error} /> : null}
        {revoke.error ? <NotDone title="Not revoked" error={revoke.error} /> : null}
        {data || error ? null : <Spinner />}
      </div>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button variant="quiet" onClick={onClose}>
          Close
        </Button>
        {data?.isOn ? (
          <Button pending={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke the link
          </Button>
        ) : null}
        {data ? (
          <Button variant="primary" pending={make.isPending} onClick={() => make.mutate()}>
            {data.isOn ? 'Create a new link' : 'Create link'}
          </Button>
        ) : null}
      </div>
    </Dialog>
  )
}

function State({ feed, isRevoked }: { feed: RenewalFeed; isRevoked: boolean }) {
  const { isOn, hint, createTime, lastReadTime } = feed
  if (!isOn || createTime === undefined)
    return <p role="status">{isRevoked ? 'Link revoked. It no longer works.' : 'You have no link.'}</p>
  return (
    <div role="status" className="grid gap-1">
      <p>
        You have a link, <code className="text-sm">{hint}</code>, created on <Moment at={createTime} /> UTC.
      </p>
      <p className="text-sm text-ink-3">
        {lastReadTime === undefined ? (
          'No calendar has read it yet.'
        ) : (
          <>
            Read last on <Moment at={lastReadTime} /> UTC.
          </>
        )}{' '}
        Creating a new link revokes this one.
      </p>
    </div>
  )
}
