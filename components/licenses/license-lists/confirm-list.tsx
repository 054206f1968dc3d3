'use client'

import { type FormEvent, useId, useState } from 'react'
import { holdBack, ReviewBox } from '#components/licenses/license-changes/review-box.tsx'
import { Button } from '#components/ui/button.tsx'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { totalsOf } from '#lib/licenses/license-lists/rules.ts'
import { moneyText } from '#lib/platform/values/money.ts'
import { changesOf, type LicenseList, moneyOf, rowsIn } from './list.ts'

type ConfirmListProps = {
  list: LicenseList
  title: string
  prices: Record<string, LastPrice>
  onCheck: () => void
  onConfirm: () => void
  onEdit: () => void
}

/** Sums of a checked list, and the one button that sends it. */
export function ConfirmList({ list, title, prices, onCheck, onConfirm, onEdit }: ConfirmListProps) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const allowed = rowsIn(list, 'allowed')
  const isUnchecked = rowsIn(list, 'unchecked', 'waiting').length > 0
  const { mustType, committed, assets } = totalsOf(changesOf(allowed))
  const fits = !mustType || typed.replace(/[\s,.]/g, '') === String(committed)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (fits && allowed.length > 0) onConfirm()
  }
  return (
    <form onSubmit={submit}>
      <ReviewBox
        id={id}
        title={title}
        actions={
          <>
            {mustType ? (
              <label className="flex items-center gap-2 text-sm max-lg:justify-between">
                Type {committed.toLocaleString('en')} to confirm
                <input
                  inputMode="numeric"
                  autoComplete="off"
                  value={typed}
                  onChange={(event) => setTyped(event.target.value)}
                  className="h-8.5 w-20 rounded-control border border-line-2 bg-surface px-2 text-center tabular-nums max-md:h-10 max-md:text-lg"
                />
              </label>
            ) : null}
            <Button variant="quiet" onClick={onEdit}>
              Edit the list
            </Button>
            {isUnchecked ? <Button onClick={onCheck}>Check the rest again</Button> : null}
            {allowed.length > 0 ? (
              <Button
                type="submit"
                variant="primary"
                disabled={!fits}
                aria-describedby={id}
                onClick={holdBack}
                onKeyDown={holdBack}
              >
                Set {assets.toLocaleString('en')} {assets === 1 ? 'asset' : 'assets'}
              </Button>
            ) : null}
          </>
        }
      >
        <p>{othersText(list)}</p>
        <p>{costsText(list, prices)}</p>
      </ReviewBox>
    </form>
  )
}

/** Returns a sentence on the rows that are not sent, so that members don't take them for done. */
function othersText(list: LicenseList): string {
  const countText = (count: number, one: string, many: string) =>
    count === 0 ? '' : `${count.toLocaleString('en')} ${count === 1 ? one : many}. `
  const same = rowsIn(list, 'same').length
  return [
    countText(same, 'has its total already', 'have their totals already'),
    countText(rowsIn(list, 'refused').length, 'can’t be set: see why below', 'can’t be set: see why below'),
    countText(rowsIn(list, 'unchecked', 'waiting').length, 'could not be checked', 'could not be checked'),
    countText(list.skipped, 'row has no total and stays unchanged', 'rows have no total and stay unchanged'),
  ].join('')
}

/** Returns the costs per currency, never added together. */
function costsText(list: LicenseList, prices: Record<string, LastPrice>): string {
  const allowed = rowsIn(list, 'allowed')
  const { amounts, unpriced } = moneyOf(allowed, prices)
  const parts = amounts.map(({ currency, amount }) => {
    const more = amount.startsWith('-') ? 'less' : 'more'
    return `${moneyText(amount.replace('-', ''), currency)} ${more}`
  })
  if (parts.length === 0) return ''
  const without =
    unpriced === 0 ? '' : ` Without ${unpriced.toLocaleString('en')} that have no price or are caps.`
  return `About ${parts.join(' and ')} per billing period, at the prices last billed.${without}`
}
