'use client'

import { type KeyboardEvent, memo, useId, useRef } from 'react'
import { Cell, Row } from '#components/ui/table.tsx'
import type { AssetListItem } from '#lib/assets/contract.ts'
import { minimumQuantity } from '#lib/assets/rules.ts'
import { Applying } from './applying.tsx'
import { AssetCells } from './asset-cells.tsx'
import { ChangeReview } from './change-review.tsx'
import type { LastPrice } from './cost.ts'
import { factsOf, limitText, type Subscription } from './plan.ts'
import { QuantityControl } from './quantity-control.tsx'
import { Refusal } from './refusal.tsx'
import { useLicenseEdit } from './use-license-edit.ts'

/** An asset with licenses: its row, the control, and under it the review of a change or its refusal. */
// Remembered, so that typing into one row does not draw the fifty others.
export const LicenseRow = memo(function LicenseRow({
  item,
  subscription,
  lastPrice,
}: {
  item: AssetListItem
  subscription: Subscription
  lastPrice: LastPrice | undefined
}) {
  const reasonId = useId()
  const review = useRef<HTMLTableRowElement>(null)
  const facts = factsOf(subscription)
  const row = useLicenseEdit(item, facts)
  const { first, refused, draft } = row
  const reason = limitText(facts)
  const open = row.open && !row.isPending
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && open) row.discard()
  }
  return (
    <>
      <Row
        className={open ? 'border-b-transparent bg-accent-tint max-md:pb-2' : ''}
        onKeyDown={onKeyDown}
        // Who types sees what it means. Never on a click: another button would come under the pointer.
        onKeyUp={() => review.current?.scrollIntoView({ block: 'nearest' })}
      >
        <AssetCells item={item} />
        <Cell place="right" right>
          {row.isPending ? (
            <Applying />
          ) : (
            <QuantityControl
              label={`Licenses of ${item.assetName}`}
              value={row.value}
              purchased={facts.purchased}
              minimum={minimumQuantity(facts)}
              disabled={facts.status !== 'ACTIVE'}
              reasonId={reason ? reasonId : undefined}
              input={row.input}
              onChange={row.edit}
              onEnter={() => first.current?.focus()}
            />
          )}
          {reason ? (
            <p id={reasonId} className="mt-1 text-xs text-ink-3 max-md:max-w-30 max-md:text-left">
              {reason}
            </p>
          ) : null}
        </Cell>
      </Row>
      {open ? (
        <Row ref={review} className="bg-accent-tint max-md:pt-0" onKeyDown={onKeyDown}>
          <Cell place="across" colSpan={5} className="pt-0 pb-3.5">
            {refused ? (
              <Refusal
                {...refused}
                assigned={subscription.Seats.LicensedNumberOfSeats}
                first={first}
                onTry={row.edit}
                onAgain={row.again}
                isCommitmentPlan={facts.isCommitmentPlan}
                onOverrule={(etag) => row.submit(refused.quantity, etag)}
                onDiscard={row.discard}
              />
            ) : (
              <ChangeReview
                name={item.assetName}
                subscription={subscription}
                quantity={draft}
                lastPrice={lastPrice}
                first={first}
                onSubmit={row.submit}
                onDiscard={row.discard}
              />
            )}
          </Cell>
        </Row>
      ) : null}
    </>
  )
})
