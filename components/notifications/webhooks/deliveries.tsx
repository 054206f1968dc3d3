'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { listScreen } from '#components/lists/filters/list-screen.ts'
import { useView } from '#components/lists/filters/use-view.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { RefreshFailed } from '#components/platform/problem/refresh-failed.tsx'
import { Moment } from '#components/platform/values/times.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { ToggleChip } from '#components/ui/chip.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Pager } from '#components/ui/pager.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { staleClass } from '#components/ui/stale-class.ts'
import {
  Cell,
  Row,
  RowHeaderCell,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
} from '#components/ui/table.tsx'
import { useToast } from '#components/ui/toast.tsx'
import {
  listWebhookDeliveries,
  readWebhookDelivery,
  repeatWebhookDelivery,
} from '#lib/notifications/webhooks/client.ts'
import type {
  listWebhookDeliveries as contract,
  DeliveryDetails,
} from '#lib/notifications/webhooks/contract.ts'
import { DELIVERY_STATES } from '#lib/notifications/webhooks/rules.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { DELIVERY_LABELS, KIND_LABELS, REFRESH_MS, webhookHref } from './labels.ts'

type View = Input<typeof contract>['query']

/** Deliveries of a webhook, newest first. */
export function Deliveries({ webhookId, view }: { webhookId: string; view: View }) {
  const params = { webhook_id: webhookId }
  const { hrefOf, pagesOf } = listScreen<View>(webhookHref(webhookId), (query) =>
    listWebhookDeliveries.search({ ...query }),
  )
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const client = useQueryClient()
  const list = useRef<HTMLDivElement>(null)
  const [opened, setOpened] = useState<string>()
  const { data, error, refetch } = useQuery({
    queryKey: listWebhookDeliveries.key({ params, query: view }),
    queryFn: ({ signal }) => listWebhookDeliveries({ params, query: view }, signal),
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some((one) => one.state === 'WAITING') ? REFRESH_MS : false,
  })
  const rows = data?.deliveries ?? []
  return (
    <>
      <fieldset className="mb-3 flex flex-wrap gap-2">
        <legend className="sr-only">State</legend>
        {DELIVERY_STATES.map((state) => (
          <ToggleChip
            key={state}
            selected={requestedView.state === state}
            onToggle={() => go(requestedView.state === state ? {} : { state })}
          >
            {DELIVERY_LABELS[state].text}
          </ToggleChip>
        ))}
      </fieldset>
      {error ? <RefreshFailed label="deliveries" error={error} onRetry={refetch} /> : null}
      <Card className={staleClass(isWaiting)}>
        {/* Receives the focus when the focused element is gone. */}
        <div ref={list} tabIndex={-1} className="rounded-card outline-none">
          {data ? null : <SkeletonRows count={5} />}
          {data && rows.length === 0 ? (
            <EmptyState title={view.state ? 'No deliveries match' : 'No deliveries yet'}>
              {view.state ? null : 'Events appear here as they are sent. They are kept for 30 days.'}
            </EmptyState>
          ) : null}
          {rows.length > 0 ? (
            <Table label="Deliveries, newest first" pending={isWaiting}>
              <TableHeader>
                <TableHeaderCell>Event</TableHeaderCell>
                <TableHeaderCell>Time (UTC)</TableHeaderCell>
                <TableHeaderCell>State</TableHeaderCell>
                <TableHeaderCell right>Attempts</TableHeaderCell>
                <TableHeaderCell right>
                  <span className="sr-only">Actions</span>
                </TableHeaderCell>
              </TableHeader>
              <TableBody>
                {rows.map(({ id, kind, createTime, state, attempts, lastStatus, reason }) => (
                  <Row key={id}>
                    <RowHeaderCell>
                      <span className="block font-[550]">{KIND_LABELS[kind]}</span>
                      {reason ? (
                        <span className="block text-xs text-ink-3">{escapeInvisible(reason)}</span>
                      ) : null}
                    </RowHeaderCell>
                    <Cell className="text-ink-2 max-md:text-sm">
                      <Moment at={createTime} />
                    </Cell>
                    <Cell className="max-md:text-sm">
                      <Badge tone={DELIVERY_LABELS[state].tone}>{DELIVERY_LABELS[state].text}</Badge>
                      {lastStatus === undefined ? null : (
                        <span className="ml-2 text-xs text-ink-3">HTTP {lastStatus}</span>
                      )}
                    </Cell>
                    <Cell right className="text-ink-2 max-md:text-sm">
                      <span className="text-ink-3 md:hidden">Attempts </span>
                      {attempts}
                    </Cell>
                    <Cell placement="right" right className="max-md:row-span-4">
                      <Button onClick={() => setOpened(id)} aria-label={`View ${KIND_LABELS[kind]}`}>
                        View
                      </Button>
                    </Cell>
                  </Row>
                ))}
              </TableBody>
            </Table>
          ) : null}
        </div>
      </Card>
      <Pager {...pagesOf(view, data)} />
      {opened ? (
        <Details
          webhookId={webhookId}
          id={opened}
          onRepeated={() => client.invalidateQueries({ queryKey: ['listWebhookDeliveries'] })}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
    </>
  )
}

/** Request and responses of a delivery, which can be sent again. */
function Details({
  webhookId,
  id,
  onRepeated,
  onClose,
}: {
  webhookId: string
  id: string
  onRepeated: () => void
  onClose: () => void
}) {
  const toast = useToast()
  const params = { webhook_id: webhookId, delivery_id: id }
  const { data, error, refetch } = useQuery({
    queryKey: readWebhookDelivery.key({ params }),
    queryFn: ({ signal }) => readWebhookDelivery({ params }, signal),
  })
  const repeat = useMutation({
    mutationFn: () => repeatWebhookDelivery({ params, body: {} }),
    onSuccess: () => {
      onRepeated()
      onClose()
      toast('Queued to send again')
    },
  })
  return (
    <Dialog title={data ? (KIND_LABELS[data.kind] ?? data.kind) : 'Delivery'} onClose={onClose}>
      {error ? <RefreshFailed label="delivery" error={error} onRetry={refetch} /> : null}
      {data ? <Exchange delivery={data} /> : null}
      {repeat.error ? <NotDone title="Not sent" error={repeat.error} /> : null}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button variant="quiet" onClick={onClose}>
          Close
        </Button>
        <Button variant="primary" pending={repeat.isPending} onClick={() => repeat.mutate()}>
          {data?.state === 'WAITING' ? 'Try now' : 'Send again'}
        </Button>
      </div>
    </Dialog>
  )
}

const CODE =
  'mt-1 max-h-40 overflow-auto rounded-control bg-sunken p-2.5 text-xs whitespace-pre-wrap wrap-anywhere'

function Exchange({ delivery: { event, request, calls, nextAttemptTime } }: { delivery: DeliveryDetails }) {
  return (
    <div className="mt-3 grid gap-3.5 text-sm">
      <div>
        <h3 className="font-medium">Request</h3>
        <p className="text-xs wrap-anywhere text-ink-3">webhook-id: {event}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it. */}
        <pre className={CODE} tabIndex={0}>
          {escapeInvisible(JSON.stringify(JSON.parse(request), null, 2))}
        </pre>
      </div>
      {calls.length === 0 ? <p className="text-ink-3">Not tried yet.</p> : null}
      {calls.map(({ number, time, duration, status, response, reason }) => (
        <div key={number}>
          <h3 className="font-medium">
            {status === undefined ? 'No response' : `HTTP ${status}`}
            <span className="ml-2 text-xs font-normal text-ink-3">
              <Moment at={time} /> UTC, {duration} ms
            </span>
          </h3>
          {reason ? <p className="wrap-anywhere text-ink-2">{escapeInvisible(reason)}</p> : null}
          {response ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it.
            <pre className={CODE} tabIndex={0}>
              {escapeInvisible(response)}
            </pre>
          ) : null}
        </div>
      ))}
      {nextAttemptTime === undefined ? null : (
        <p className="text-ink-3">
          Next attempt: <Moment at={nextAttemptTime} /> UTC
        </p>
      )}
    </div>
  )
}
