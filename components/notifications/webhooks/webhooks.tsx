'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import Link from 'next/link'
import { type ReactNode, useRef, useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { countText } from '#components/ui/count-text.ts'
import { Dialog } from '#components/ui/dialog.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { MENU_ITEM, Menu } from '#components/ui/menu.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useToast } from '#components/ui/toast.tsx'
import {
  changeWebhook,
  listWebhooks,
  removeWebhook,
  testWebhook,
} from '#lib/notifications/webhooks/client.ts'
import type { Webhook } from '#lib/notifications/webhooks/contract.ts'
import { MAX_WEBHOOKS } from '#lib/notifications/webhooks/rules.ts'
import { KIND_LABELS, REFRESH_MS, STATUS_LABELS, webhookHref } from './labels.ts'
import { type Profiles, RotateSecret, WebhookForm } from './webhook-form.tsx'

type OpenDialog = { is: 'edit' | 'rotate' | 'remove'; webhook: Webhook }

/** Button that adds a webhook, as long as there may be more. */
export function AddWebhook({ profiles }: { profiles: Profiles }) {
  const [isOpen, setIsOpen] = useState(false)
  const client = useQueryClient()
  const { data } = useWebhooks(false)
  if (data && data.webhooks.length >= MAX_WEBHOOKS) return null
  return (
    <>
      <Button variant="primary" onClick={() => setIsOpen(true)}>
        Add webhook
      </Button>
      {isOpen ? (
        <WebhookForm
          webhook={undefined}
          profiles={profiles}
          onSaved={() => client.invalidateQueries({ queryKey: ['listWebhooks'] })}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </>
  )
}

/** @param enabled false: for the list that another component loads */
function useWebhooks(enabled = true) {
  return useQuery({
    enabled,
    queryKey: listWebhooks.key({}),
    queryFn: ({ signal }) => listWebhooks({}, signal),
    refetchInterval: ({ state }) =>
      state.data?.webhooks.some(({ status, waiting }) => status === 'ACTIVE' && waiting > 0)
        ? REFRESH_MS
        : false,
  })
}

/** Webhooks of the customer, with their actions. */
export function Webhooks({ profiles }: { profiles: Profiles }) {
  const [open, setOpen] = useState<OpenDialog>()
  const list = useRef<HTMLDivElement>(null)
  const toast = useToast()
  const client = useQueryClient()
  const { data, error, refetch } = useWebhooks()
  const refresh = () => client.invalidateQueries({ queryKey: ['listWebhooks'] })
  const close = () => {
    setOpen(undefined)
    list.current?.focus({ preventScroll: true })
  }
  const done = (message?: string) => {
    refresh()
    if (message === undefined) return
    close()
    toast(message)
  }
  const webhooks = data?.webhooks ?? []
  return (
    <div className="grid gap-3">
      {error ? <RefreshFailed label="webhooks" error={error} onRetry={refetch} /> : null}
      <Card>
        {/* Receives the focus when the focused element is gone. */}
        <div ref={list} tabIndex={-1} className="rounded-card outline-none">
          {data ? null : <SkeletonRows count={3} />}
          {data && webhooks.length === 0 ? (
            <EmptyState title="No webhooks yet">
              A webhook tells your own system when an invoice is issued, a license change completes, or a key
              is about to expire.
            </EmptyState>
          ) : null}
          <ul className="-mt-px">
            {webhooks.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} onOpen={setOpen} onDone={done} />
            ))}
          </ul>
        </div>
      </Card>
      {open?.is === 'edit' ? (
        <WebhookForm webhook={open.webhook} profiles={profiles} onSaved={done} onClose={close} />
      ) : null}
      {open?.is === 'rotate' ? (
        <RotateSecret webhook={open.webhook} onSaved={refresh} onClose={close} />
      ) : null}
      {open?.is === 'remove' ? (
        <RemoveWebhook webhook={open.webhook} onRemoved={done} onClose={close} />
      ) : null}
    </div>
  )
}

function WebhookRow({
  webhook,
  onOpen,
  onDone,
}: {
  webhook: Webhook
  onOpen: (open: OpenDialog) => void
  onDone: (message: string) => void
}) {
  const { id, url, kinds, billingProfiles, status, waiting } = webhook
  const name = escapeInvisible(webhook.name)
  const label = STATUS_LABELS[status]
  const params = { webhook_id: id }
  const { mutate, error } = useMutation({
    mutationFn: async (action: 'test' | 'pause' | 'resume') => {
      if (action === 'test') await testWebhook({ params, body: {} })
      else await changeWebhook({ params, body: { paused: action === 'pause' } })
      return action
    },
    onSuccess: (action) => onDone(`${DONE[action]}: ${name}`),
  })
  const items: readonly [string, () => void][] = [
    ['Send a test', () => mutate('test')],
    ['Edit', () => onOpen({ is: 'edit', webhook })],
    ['Rotate secret', () => onOpen({ is: 'rotate', webhook })],
    status === 'ACTIVE' ? ['Pause', () => mutate('pause')] : ['Resume', () => mutate('resume')],
    ['Remove', () => onOpen({ is: 'remove', webhook })],
  ]
  return (
    <li className="flex items-start justify-between gap-x-4 border-t border-line px-4 py-3 max-md:px-3.5">
      <div className="grid min-w-0 flex-1 gap-1">
        <h2 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-[550] wrap-anywhere">
          <Link href={webhookHref(id)} prefetch={false} className="hover:underline">
            {name}
          </Link>
          <Badge tone={label.tone}>{label.text}</Badge>
        </h2>
        <p className="text-sm wrap-anywhere text-ink-2">{escapeInvisible(url)}</p>
        <p className="text-sm wrap-anywhere text-ink-3">
          {kinds ? kinds.map((kind) => KIND_LABELS[kind]).join(', ') : 'All events'}
          {billingProfiles ? ` · Billing profiles: ${billingProfiles.map(escapeInvisible).join(', ')}` : null}
        </p>
        {label.about ? <Note>{label.about}</Note> : null}
        {waiting > 0 ? (
          <Note>{waiting === 1 ? '1 event waiting' : `${countText(waiting)} events waiting`}</Note>
        ) : null}
        {error ? <NotDone title="Not done" error={error} /> : null}
      </div>
      <Menu
        label={`Actions for ${name}`}
        side="under-right"
        rootClassName="inline-block -my-1.5 -mr-2 max-md:-my-2.5"
        buttonClassName="grid size-9 place-items-center rounded-control text-ink-2 hover:bg-sunken max-md:size-11"
        button={<Ellipsis aria-hidden="true" className="size-4.5" />}
      >
        {(close) =>
          items.map(([text, run]) => (
            <button
              key={text}
              type="button"
              className={MENU_ITEM}
              onClick={() => {
                close()
                run()
              }}
            >
              {text}
            </button>
          ))
        }
      </Menu>
    </li>
  )
}

const DONE = { test: 'Test event queued', pause: 'Paused', resume: 'Resumed' }

function Note({ children }: { children: ReactNode }) {
  return <p className="text-sm text-ink-3">{children}</p>
}

function RemoveWebhook({
  webhook,
  onRemoved,
  onClose,
}: {
  webhook: Webhook
  onRemoved: (message: string) => void
  onClose: () => void
}) {
  const name = escapeInvisible(webhook.name)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => removeWebhook({ params: { webhook_id: webhook.id } }),
    onSuccess: () => onRemoved(`Removed: ${name}`),
  })
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <p className="mt-2 wrap-anywhere text-ink-2">
        Its receiver gets no more events, and the list of deliveries is deleted. This cannot be undone.
      </p>
      {error ? <NotDone title="Not removed" error={error} /> : null}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button variant="primary" pending={isPending} onClick={() => mutate()}>
          Remove webhook
        </Button>
      </div>
    </Dialog>
  )
}
