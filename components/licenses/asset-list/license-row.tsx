'use client'

import { type KeyboardEvent, memo, type RefObject, useEffect, useRef } from 'react'
import type { IdleNote } from '#components/licenses/assets/idle.ts'
import { type Subscription, toQuantityState } from '#components/licenses/assets/labels.ts'
import { ChangeSign } from '#components/licenses/license-changes/change-sign.tsx'
import { useLicenseEdit } from '#components/licenses/license-changes/use-license-edit.ts'
import { LicenseReview } from '#components/licenses/license-reviews/lazy-review.ts'
import { LicenseControl } from '#components/licenses/license-reviews/license-control.tsx'
import { Cell, Row } from '#components/ui/table.tsx'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import type { AssetColumn } from '#lib/workspace/list-columns/rules.ts'
import { AssetCells } from './asset-cells.tsx'

/** Asset with licenses: its row, the control, and the review of a change or its refusal below. */
// Memoized, so that typing into one row does not render the fifty others.
export const LicenseRow = memo(function LicenseRow({
  item,
  subscription,
  search,
  columns,
  lastPrice,
  idle,
}: {
  item: AssetListItem
  subscription: Subscription
  search: string
  columns: readonly AssetColumn[]
  lastPrice: LastPrice | undefined
  idle: IdleNote | undefined
}) {
  const review = useRef<HTMLTableRowElement>(null)
  const edit = useLicenseEdit(item, toQuantityState(subscription))
  const open = edit.open && !edit.isPending
  const isFree = !edit.open && !edit.isPending && edit.waitUntil === undefined
  useScrollIntoView(review, open ? edit.value : undefined)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && open) edit.discard()
  }
  return (
    <>
      <Row
        // On a phone, a note below the control must not spread the cells on its left.
        className={`relative max-md:grid-rows-[auto_auto_1fr_auto] ${open ? 'border-b-transparent bg-accent-tint max-md:pb-2' : 'hover:bg-sunken/50'}`}
        onKeyDown={onKeyDown}
      >
        <AssetCells
          item={item}
          search={search}
          columns={columns}
          idle={idle}
          control={
            // Above the row's link overlay: a click next to − navigates nowhere.
            <Cell placement="right" right className="relative z-1 cursor-auto">
              <LicenseControl item={item} subscription={subscription} edit={edit} />
            </Cell>
          }
        >
          {edit.failedChange ? null : (
            <ChangeSign item={item} search={search} onSet={isFree ? edit.setQuantity : undefined} />
          )}
        </AssetCells>
      </Row>
      {open ? (
        <Row ref={review} className="bg-accent-tint max-md:pt-0" onKeyDown={onKeyDown}>
          <Cell placement="across" colSpan={columns.length} className="pt-0 pb-3.5">
            <LicenseReview item={item} subscription={subscription} edit={edit} lastPrice={lastPrice} />
          </Cell>
        </Row>
      ) : null}
    </>
  )
})

/** Milliseconds without a press before a review scrolls: a button that is pressed again stays under the pointer. */
const SCROLL_DELAY_MS = 400

/**
 * Brings the review into view, however it was opened, and again when it grows: its script and its cost come later.
 * @param value of the quantity; undefined while no review is open
 */
function useScrollIntoView(review: RefObject<HTMLElement | null>, value: number | null | undefined): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each press restarts the delay
  useEffect(() => {
    const element = review.current
    if (!element) return
    let timer: ReturnType<typeof setTimeout>
    const observer = new ResizeObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(() => element.scrollIntoView({ block: 'nearest' }), SCROLL_DELAY_MS)
    })
    observer.observe(element)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [value])
}
