'use client'

import { type FormEvent, useId, useState } from 'react'
import { costText } from '#components/licenses/assets/cost.ts'
import { licensesText } from '#components/licenses/assets/labels.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { Renewal as RenewalItem } from '#lib/costs/renewals/contract.ts'
import { nextCostText } from '#lib/costs/renewals/format.ts'
import { MAX_QUANTITY } from '#lib/licenses/assets/quantity-rule.ts'
import type { Renewal } from '#lib/licenses/renewal-orders/contract.ts'
import { orderText } from '#lib/licenses/renewal-orders/rules.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { parseWholeNumber } from '#lib/platform/values/numbers.ts'
import { type OrderBody, useOrder } from './use-order.ts'

type OrderFormProps = {
  id: string
  /** Name of the asset, which confirms a cancellation. */
  name: string
  renewal: Renewal
  etag: string | undefined
  lastPrice: LastPrice | undefined
  /** Cost of an Extended Service Term. */
  extendedCost: RenewalItem['nextCost']
  onClose: () => void
}

/** Choice for a total of the next term. Other choices are types of renewal and actions. */
const TOTAL = 'total'
const ACTION_LABELS: Record<string, string> = {
  [TOTAL]: 'Renew',
  cancel: 'Cancel at the end of the term',
  'extended-term': 'Continue as an Extended Service Term',
}
const FIELD =
  'h-8.5 rounded-control border border-line-2 bg-surface px-2 tabular-nums max-md:h-10 max-md:text-lg'

/** Orders a total for the next term, how the plan renews, or its end, after showing the consequences. */
export function OrderForm({ id, name, renewal, etag: present, onClose, ...costs }: OrderFormProps) {
  // Version seen when the form was opened: a newer order is not overwritten unseen.
  const [etag] = useState(present)
  const { quantity, assigned, renewalTypes, actions = [], order, time } = renewal
  const choices = [...(renewalTypes ?? [TOTAL]), ...actions]
  const current = order?.action ?? order?.renewalType ?? TOTAL
  const [choice, setChoice] = useState(choices.includes(current) ? current : (choices[0] ?? TOTAL))
  const [typed, setTyped] = useState(String(order?.quantity ?? Math.min(assigned, quantity)))
  const [confirm, setConfirm] = useState('')
  const { mutate, isPending, error } = useOrder(id, { etag, onDone: onClose })
  const group = useId()
  const body = bodyOf(choice, typed, confirm)
  const isFit = choice === 'cancel' ? confirm.trim() === name.trim() : body !== undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (body && isFit && !isPending) mutate(body)
  }
  return (
    <form onSubmit={submit} className="grid gap-3 text-sm">
      {choices.length > 1 ? (
        <Choices {...{ choices, choice, group }} hasTotal={!renewalTypes} onChoose={setChoice} />
      ) : null}
      {choice === TOTAL ? (
        <label className="flex items-center justify-between gap-3">
          Licenses after renewal
          <input
            // biome-ignore lint/a11y/noAutofocus: opening the form is followed by typing
            autoFocus={choices.length === 1}
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            aria-describedby={`${group}-meaning`}
            onChange={(event) => setTyped(event.target.value)}
            className={`${FIELD} w-20 text-center`}
          />
        </label>
      ) : null}
      <p id={`${group}-meaning`} aria-live="polite" className="text-xs text-ink-3 tabular-nums">
        {meaningOf(renewal, body, costs)}
      </p>
      {choice === 'cancel' ? (
        <label className="grid gap-1">
          <span>
            Type <strong className="font-[550] wrap-anywhere">{name}</strong> to confirm
          </span>
          <input
            autoComplete="off"
            spellCheck={false}
            value={confirm}
            onChange={(event) => setConfirm(event.target.value)}
            className={`${FIELD} w-full`}
          />
        </label>
      ) : null}
      {error ? <NotDone title="Not ordered" error={error} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" pending={isPending} disabled={!isFit}>
          {choice === 'cancel'
            ? `Cancel${time === undefined ? ' at the end' : ` on ${dayText(time)}`}`
            : orderLabel(choice, body, time)}
        </Button>
        <Button variant="quiet" onClick={onClose}>
          Discard
        </Button>
      </div>
    </form>
  )
}

type ChoicesProps = {
  choices: readonly string[]
  choice: string
  group: string
  hasTotal: boolean
  onChoose: (choice: string) => void
}

function Choices({ choices, choice, group, hasTotal, onChoose }: ChoicesProps) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-ink-3">
        {hasTotal ? 'When the term ends' : 'The vendor takes no total for the next term.'}
      </legend>
      {choices.map((one) => (
        <label key={one} className="flex items-center gap-2">
          <input
            type="radio"
            name={group}
            value={one}
            checked={choice === one}
            onChange={() => onChoose(one)}
            className="accent-accent"
          />
          {ACTION_LABELS[one] ?? orderText({ renewalType: one })}
        </label>
      ))}
    </fieldset>
  )
}

/** @returns undefined where the typed total is invalid */
function bodyOf(choice: string, typed: string, confirm: string): OrderBody | undefined {
  if (choice === 'cancel') return { action: 'cancel', confirm }
  if (choice === 'extended-term') return { action: 'extended-term' }
  if (choice !== TOTAL) return { renewalType: choice }
  const total = parseWholeNumber(typed)
  return total !== undefined && total <= MAX_QUANTITY ? { quantity: total } : undefined
}

function orderLabel(choice: string, body: OrderBody | undefined, time: number | undefined): string {
  const day = time === undefined ? '' : dayText(time)
  if (body && 'quantity' in body) return `Renew with ${licensesText(body.quantity)}${day && ` on ${day}`}`
  return `${choice === 'extended-term' ? 'Continue' : 'Order this renewal'}${day && ` from ${day}`}`
}

function meaningOf(
  renewal: Renewal,
  body: OrderBody | undefined,
  { lastPrice, extendedCost }: Pick<OrderFormProps, 'lastPrice' | 'extendedCost'>,
): string {
  if (!body) return `Type a whole number from 0 to ${MAX_QUANTITY.toLocaleString('en')}.`
  if ('quantity' in body) return totalMeaning(renewal, body.quantity, lastPrice)
  if (!('action' in body)) return 'Nothing changes before the term ends.'
  if (body.action === 'cancel')
    return 'The plan ends: its users lose their licenses, and nothing is charged after that. Until the last day you can take it back.'
  const { surchargePercent } = renewal
  const cost = nextCostText({ outcome: 'extended-term', nextCost: extendedCost, surchargePercent })
  const fallback = `The vendor’s published surcharge is ${surchargePercent} %`
  return `The plan continues from month to month, at a surcharge. ${cost ?? fallback}.`
}

function totalMeaning(
  { quantity, assigned }: Renewal,
  total: number,
  lastPrice: LastPrice | undefined,
): string {
  const change = total - quantity
  const difference = Math.abs(change).toLocaleString('en')
  const than =
    change === 0
      ? 'As many as now.'
      : `${difference} ${change < 0 ? 'fewer' : 'more'} than now. No change until then.`
  const missing = assigned - total
  const users = missing === 1 ? '1 user' : `${missing.toLocaleString('en')} users`
  const below =
    missing > 0
      ? ` ${assigned.toLocaleString('en')} are assigned: take the licenses of ${users} away before.`
      : ''
  const cost = lastPrice && change !== 0 ? ` ${costText(change, lastPrice)}` : ''
  return `${than}${below}${cost}`
}
