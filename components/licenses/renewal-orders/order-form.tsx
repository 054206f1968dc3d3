'use client'

import { type FormEvent, useId, useState } from 'react'
import { costText } from '#components/licenses/assets/cost.ts'
import { licensesText } from '#components/licenses/assets/labels.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { MAX_QUANTITY } from '#lib/licenses/assets/rules.ts'
import type { Renewal } from '#lib/licenses/renewal-orders/contract.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { parseWholeNumber } from '#lib/platform/values/numbers.ts'
import { renewalTypeText } from './labels.ts'
import { useOrder } from './use-order.ts'

type OrderFormProps = {
  id: string
  renewal: Renewal
  etag: string | undefined
  lastPrice: LastPrice | undefined
  onClose: () => void
}

/** Orders a total for the next term, or how the plan renews, after showing the consequences. */
export function OrderForm({ id, renewal, etag: present, lastPrice, onClose }: OrderFormProps) {
  // Version seen when the form was opened: a newer order is not overwritten unseen.
  const [etag] = useState(present)
  const { quantity, assigned, renewalTypes, order, time } = renewal
  const start = String(order?.quantity ?? Math.min(assigned, quantity))
  const [typed, setTyped] = useState(order?.renewalType ?? renewalTypes?.[0] ?? start)
  const { mutate, isPending, error } = useOrder(id, { etag, onDone: onClose })
  const group = useId()
  const total = renewalTypes ? undefined : parseWholeNumber(typed)
  const isFit = renewalTypes ? true : total !== undefined && total <= MAX_QUANTITY
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isFit || isPending) return
    mutate(renewalTypes ? { renewalType: typed } : { quantity: total ?? 0 })
  }
  return (
    <form onSubmit={submit} className="grid gap-3 text-sm">
      {renewalTypes ? (
        <fieldset className="grid gap-2">
          <legend className="mb-1 text-ink-3">The vendor takes no total for the next term.</legend>
          {renewalTypes.map((type) => (
            <label key={type} className="flex items-center gap-2">
              <input
                type="radio"
                name={group}
                value={type}
                checked={typed === type}
                onChange={() => setTyped(type)}
                className="accent-accent"
              />
              {renewalTypeText(type)}
            </label>
          ))}
        </fieldset>
      ) : (
        <>
          <label className="flex items-center justify-between gap-3">
            Licenses of the next term
            <input
              // biome-ignore lint/a11y/noAutofocus: opening the form is followed by typing
              autoFocus
              inputMode="numeric"
              autoComplete="off"
              value={typed}
              aria-describedby={`${group}-meaning`}
              onChange={(event) => setTyped(event.target.value)}
              className="h-8.5 w-20 rounded-control border border-line-2 bg-surface px-2 text-center tabular-nums max-md:h-10 max-md:text-lg"
            />
          </label>
          <p id={`${group}-meaning`} aria-live="polite" className="text-xs text-ink-3 tabular-nums">
            {total === undefined || !isFit
              ? `Type a whole number from 0 to ${MAX_QUANTITY.toLocaleString('en')}.`
              : meaningOf(renewal, total, lastPrice)}
          </p>
        </>
      )}
      {error ? <NotDone title="Not ordered" error={error} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" pending={isPending} disabled={!isFit}>
          {total === undefined || !isFit ? 'Order' : `Order ${licensesText(total)}`}
          {time === undefined ? '' : ` from ${dayText(time)}`}
        </Button>
        <Button variant="quiet" onClick={onClose}>
          Discard
        </Button>
      </div>
    </form>
  )
}

function meaningOf({ quantity, assigned }: Renewal, total: number, lastPrice: LastPrice | undefined): string {
  const change = total - quantity
  const difference = Math.abs(change).toLocaleString('en')
  const than =
    change === 0
      ? 'As many as now.'
      : `${difference} ${change < 0 ? 'fewer' : 'more'} than now, and nothing changes before.`
  const missing = assigned - total
  const users = missing === 1 ? '1 user' : `${missing.toLocaleString('en')} users`
  const below =
    missing > 0
      ? ` ${assigned.toLocaleString('en')} are assigned: take the licenses of ${users} away before.`
      : ''
  const cost = lastPrice && change !== 0 ? ` ${costText(change, lastPrice)}` : ''
  return `${than}${below}${cost}`
}
