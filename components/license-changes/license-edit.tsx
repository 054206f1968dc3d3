'use client'

import { useId } from 'react'
import { visible } from '#components/ui/visible.ts'
import { ClockTime } from '#components/waits/clock-time.tsx'
import { minimumQuantity } from '#lib/assets/commitment.ts'
import type { AssetListItem } from '#lib/assets/contract.ts'
import type { LastPrice } from '#lib/license-prices/rules.ts'
import { Applying } from './applying.tsx'
import { ChangeReview } from './change-review.tsx'
import { Confirming, Held, Waiting } from './confirming.tsx'
import { QuantityControl } from './quantity-control.tsx'
import { Refusal } from './refusal.tsx'
import type { useLicenseEdit } from './use-license-edit.ts'
import { factsOf, limitText, nextText, type Subscription } from './words.ts'

type Given = { item: AssetListItem; subscription: Subscription; edit: ReturnType<typeof useLicenseEdit> }

/**
 * The control, or what stands in its place while the vendor is asked; under it why it is limited. `isTold`: what can be
 * done about an open change stands elsewhere on the page.
 */
export function LicenseControl({ item, subscription, edit, isTold = false }: Given & { isTold?: boolean }) {
  const reasonId = useId()
  const facts = factsOf(subscription)
  const { held, waitUntil } = edit
  const isOff = held !== undefined || waitUntil !== undefined
  const reason = isOff ? undefined : limitText(facts)
  return (
    <>
      {edit.isPending ? (
        <Applying />
      ) : (
        <QuantityControl
          label={`Licenses of ${visible(item.assetName)}`}
          value={edit.value}
          purchased={facts.purchased}
          minimum={minimumQuantity(facts)}
          disabled={facts.status !== 'ACTIVE' || isOff}
          reasonId={reason || isOff ? reasonId : undefined}
          input={edit.input}
          onChange={edit.edit}
          onEnter={() => edit.first.current?.focus()}
        />
      )}
      {held ? (
        <Confirming
          id={reasonId}
          item={item}
          from={facts.purchased}
          openChange={held}
          edit={edit}
          isTold={isTold}
        />
      ) : null}
      {waitUntil === undefined ? null : (
        <p
          id={reasonId}
          ref={edit.place}
          tabIndex={-1}
          className="mt-1 rounded-sm text-xs text-ink-3 max-md:max-w-36 max-md:text-left"
        >
          {item.vendor?.label ?? 'The vendor'} takes no change before <ClockTime at={waitUntil} />
        </p>
      )}
      {item.scheduled && !edit.isPending ? (
        <p className="mt-1 text-xs font-[550] text-ink-2 tabular-nums">{nextText(item.scheduled)}</p>
      ) : null}
      {reason ? (
        <p id={reasonId} className="mt-1 text-xs text-ink-3 max-md:max-w-30 max-md:text-left">
          {reason}
        </p>
      ) : null}
    </>
  )
}

/** What a typed total would mean, or why it was refused. Stands where `edit.open` says so. */
export function LicenseReview({
  item,
  subscription,
  edit,
  lastPrice,
}: Given & { lastPrice: LastPrice | undefined }) {
  const { first, refused, held, waitUntil } = edit
  const tryOther = (other: number) => {
    edit.edit(other)
    // What was pressed goes with its review.
    edit.input.current?.focus()
  }
  if (refused) {
    return (
      <Refusal
        {...refused}
        assigned={subscription.Seats.LicensedNumberOfSeats}
        first={first}
        onTry={tryOther}
        onAgain={edit.again}
        isCommitmentPlan={subscription.Plan.IsCommitmentPlan}
        onOverrule={(etag) => edit.submit(refused.quantity, etag)}
        onDiscard={edit.discard}
      />
    )
  }
  if (held) {
    return <Held openChange={held} quantity={edit.draft} first={first} onDiscard={edit.discard} />
  }
  if (waitUntil !== undefined) {
    return (
      <Waiting item={item} until={waitUntil} quantity={edit.draft} first={first} onDiscard={edit.discard} />
    )
  }
  return (
    <ChangeReview
      item={item}
      subscription={subscription}
      quantity={edit.draft}
      lastPrice={lastPrice}
      first={first}
      onSubmit={edit.submit}
      onTry={tryOther}
      onDiscard={edit.discard}
    />
  )
}
