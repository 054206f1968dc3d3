'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { Renewal as RenewalItem } from '#lib/costs/renewals/contract.ts'
import { nextCostText } from '#lib/costs/renewals/format.ts'
import { readRenewal } from '#lib/licenses/client.ts'
import type { Renewal, RenewalOrder } from '#lib/licenses/renewal-orders/contract.ts'
import { tagOf } from '#lib/platform/api/client.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { atRenewalText, becauseText, datedOrderText, outcomeText } from './labels.ts'
import { useOrder } from './use-order.ts'

/** Costs at the last price: after the end of the commitment as it is now, and of an Extended Service Term. */
export type RenewalCosts = Partial<Record<'next' | 'extended', RenewalItem['nextCost']>>

const OrderForm = lazyWithPreload(
  () => import('./order-form.tsx').then(({ OrderForm }) => OrderForm),
  () => <div className="h-28" />,
)

type RenewalCardProps = {
  id: string
  /** Name of the asset, which confirms a cancellation. */
  name: string
  lastPrice?: LastPrice | undefined
  costs: RenewalCosts
}

/** Shows what happens with an asset at the end of its commitment, the order for that time, and its form. */
export function RenewalCard({ id, name, lastPrice, costs }: RenewalCardProps) {
  const [isOpen, setOpen] = useState(false)
  const params = { asset_id: id }
  const { data } = useQuery({
    queryKey: readRenewal.key({ params }),
    queryFn: ({ signal }) => readRenewal({ params }, signal),
  })
  if (!data || data.because === 'no_commitment') return null
  const { order, lastOrder, takes } = data
  const etag = tagOf(data)
  const outcome = order ? undefined : lastOrder && outcomeText(lastOrder)
  const next = nextCostText({ ...data, nextCost: costs.next })
  return (
    <Card className="mt-4">
      <section aria-labelledby="renewal" className="px-4 py-3.5 text-sm">
        <h2 id="renewal" className="mb-2 text-base font-[650]">
          At renewal
        </h2>
        <p className="tabular-nums">{atRenewalText(data)}</p>
        <p className="mt-1 text-xs text-ink-3 tabular-nums">
          {data.decideBy === undefined ? '' : `Decide by ${dayText(data.decideBy)}. `}
          {next ? `${next}.` : ''}
        </p>
        {order ? <CurrentOrder id={id} order={order} etag={etag} /> : null}
        {outcome ? <p className="mt-2 text-ink-2">{escapeInvisible(outcome)}</p> : null}
        {takes === 'nothing' ? <p className="mt-2 text-xs text-ink-3">{becauseText(data.because)}</p> : null}
      </section>
      {takes === 'nothing' ? null : (
        <div className="border-t border-line px-4 py-2.5">
          {isOpen ? (
            <OrderForm
              id={id}
              name={name}
              renewal={data}
              extendedCost={costs.extended}
              etag={etag}
              lastPrice={lastPrice}
              onClose={() => setOpen(false)}
            />
          ) : (
            <Button
              onPointerEnter={OrderForm.preload}
              onFocus={OrderForm.preload}
              onClick={() => setOpen(true)}
            >
              {labelOf(data)}
            </Button>
          )}
        </div>
      )}
    </Card>
  )
}

function labelOf({ order, takes, actions }: Renewal): string {
  if (order && !order.isLeaving) return 'Change the order'
  if (actions) return 'Choose what happens'
  return takes === 'quantity' ? 'Lower at renewal' : 'Choose how it renews'
}

function CurrentOrder({ id, order, etag }: { id: string; order: RenewalOrder; etag: string | undefined }) {
  const { mutate, isPending, error } = useOrder(id, { etag })
  return (
    <div className="mt-3 rounded-control bg-accent-tint px-3 py-2.5">
      <p className="font-[550] tabular-nums">{datedOrderText(order)}</p>
      <p className="mt-0.5 text-xs text-ink-2">
        Ordered by {escapeInvisible(order.actor.name)} on {dayText(order.createTime)}
        {order.isLeaving ? '. Withdrawn; the vendor has not confirmed that yet.' : ''}
        {order.isPlaced || order.isLeaving ? '' : '. The vendor does not have it yet: it is being placed.'}{' '}
        {order.reason ? escapeInvisible(order.reason) : ''}
      </p>
      {order.isLeaving ? null : (
        <div className="mt-2">
          <Button pending={isPending} onClick={() => mutate(undefined)}>
            Withdraw
          </Button>
        </div>
      )}
      {error ? <NotDone title="Not withdrawn" error={error} /> : null}
    </div>
  )
}
