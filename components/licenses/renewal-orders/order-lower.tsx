'use client'

import type { RefObject } from 'react'
import { licensesText } from '#components/licenses/assets/labels.ts'
import { holdBack } from '#components/licenses/license-changes/review-box.tsx'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { dayText } from '#lib/platform/values/days.ts'
import { useOrder } from './use-order.ts'

/** Alternative where a commitment can't be lowered now: an order from its end on. */
export function OrderLower({
  id,
  quantity,
  end,
  first,
  onDone,
}: {
  id: string
  quantity: number
  /** End of the commitment, in epoch milliseconds. */
  end: number
  first: RefObject<HTMLElement | null>
  onDone: () => void
}) {
  // A newer order that is not shown here must not be overwritten.
  const { mutate, isPending, error } = useOrder(id, { etag: '"none."', onDone })
  return (
    <>
      {error ? <NotDone title="Not ordered" error={error} /> : null}
      <Button
        ref={first as RefObject<HTMLButtonElement>}
        variant="primary"
        pending={isPending}
        onClick={(event) => {
          holdBack(event)
          if (!event.defaultPrevented) mutate({ quantity })
        }}
        onKeyDown={holdBack}
      >
        Renew with {licensesText(quantity)} on {dayText(end)}
      </Button>
    </>
  )
}
