'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Day } from '#components/platform/values/times.tsx'
import { Badge, type BadgeTone } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { useToast } from '#components/ui/toast.tsx'
import { NOTICE_NAMES } from '#lib/notifications/notices/rules.ts'
import { listNoticeRecipients } from '#lib/notifications/recipients/client.ts'
import type { NoticeRecipient } from '#lib/notifications/recipients/contract.ts'
import { RECIPIENT_STATE_NAMES, type RecipientState } from '#lib/notifications/recipients/rules.ts'
import { AddRecipient } from './add-recipient.tsx'
import { ChangeRecipient } from './change-recipient.tsx'

type Profile = { id: string; name: string }
type Open = { profile: Profile; recipient?: NoticeRecipient }

/** Addresses that get invoices and reminders, by billing profile, with their states and actions. */
export function Recipients({ profiles }: { profiles: readonly Profile[] }) {
  const [open, setOpen] = useState<Open>()
  const toast = useToast()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: listNoticeRecipients.key({}),
    queryFn: ({ signal }) => listNoticeRecipients({}, signal),
  })
  const close = () => setOpen(undefined)
  const done = (message: string) => {
    toast(message)
    client.invalidateQueries({ queryKey: ['listNoticeRecipients'] })
    close()
  }
  return (
    <>
      {error ? <RefreshFailed label="addresses" error={error} onRetry={refetch} /> : null}
      {data && !data.isPossible ? (
        <p className="mb-4 rounded-card bg-warn-tint px-4 py-2.5 text-sm text-warn">
          Email isn’t set up. No confirmations or invoices are sent until your provider sets it up.
        </p>
      ) : null}
      <ul className="grid gap-4">
        {profiles.map((profile) => {
          const rows = data?.recipients.filter((one) => one.billingProfileId === profile.id) ?? []
          return (
            <li key={profile.id}>
              <Card className="overflow-hidden">
                <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 max-md:px-3.5">
                  <h2 className="min-w-0 font-[650] wrap-anywhere">
                    {escapeInvisible(profile.name)}
                    {profile.name === profile.id ? null : (
                      <span className="block text-xs font-normal text-ink-3">
                        {escapeInvisible(profile.id)}
                      </span>
                    )}
                  </h2>
                  <Button onClick={() => setOpen({ profile })}>
                    Add address<span className="sr-only"> to {escapeInvisible(profile.name)}</span>
                  </Button>
                </div>
                {rows.length === 0 ? (
                  <p className="border-t border-line px-4 py-3 text-sm text-ink-3 max-md:px-3.5">
                    No addresses yet. Add one to have its invoices emailed.
                  </p>
                ) : (
                  <ul aria-label={`Addresses of ${escapeInvisible(profile.name)}`}>
                    {rows.map((recipient) => (
                      <RecipientRow
                        key={recipient.id}
                        recipient={recipient}
                        onChange={() => setOpen({ profile, recipient })}
                      />
                    ))}
                  </ul>
                )}
              </Card>
            </li>
          )
        })}
      </ul>
      {open?.recipient ? (
        <ChangeRecipient recipient={open.recipient} profile={open.profile} onDone={done} onClose={close} />
      ) : open ? (
        <AddRecipient profile={open.profile} onDone={done} onClose={close} />
      ) : null}
    </>
  )
}

const TONES: Record<RecipientState, BadgeTone> = {
  pending: 'info',
  expired: 'warn',
  declined: 'mute',
  active: 'ok',
  stopped: 'mute',
  refused: 'danger',
}

function RecipientRow({ recipient, onChange }: { recipient: NoticeRecipient; onChange: () => void }) {
  const { email, notices, attachesPdf, state, stopped, reason, requestedBy, createTime, expireTime } =
    recipient
  const names = notices.map((notice) => {
    const more = notice === 'new' && attachesPdf ? ' with PDF' : ''
    return `${NOTICE_NAMES[notice]}${more}${stopped.includes(notice) ? ' (unsubscribed)' : ''}`
  })
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 border-t border-line px-4 py-2.5 max-md:px-3.5">
      <div className="min-w-0 grow basis-72">
        <p className="font-[550] wrap-anywhere">{escapeInvisible(email)}</p>
        <p className="text-sm text-ink-2">{names.join(' · ')}</p>
        <p className="text-xs wrap-anywhere text-ink-3">
          {requestedBy === undefined ? 'Set by your provider' : `Added by ${escapeInvisible(requestedBy)}`} on{' '}
          <Day at={createTime} />
          {expireTime === undefined ? null : (
            <>
              , link valid until <Day at={expireTime} />
            </>
          )}
        </p>
        {reason ? (
          <p className="text-sm wrap-anywhere text-danger">
            The mail server answered: {escapeInvisible(reason)}
          </p>
        ) : null}
      </div>
      <Badge tone={TONES[state]}>{RECIPIENT_STATE_NAMES[state]}</Badge>
      <Button onClick={onChange}>
        Edit<span className="sr-only"> {escapeInvisible(email)}</span>
      </Button>
    </li>
  )
}
