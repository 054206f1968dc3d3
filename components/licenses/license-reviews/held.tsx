import type { RefObject } from 'react'
import { licensesText } from '#components/licenses/assets/labels.ts'
import type { OpenChange } from '#components/licenses/assets/one-asset.ts'
import { whoText } from '#components/platform/values/who.ts'
import { ClockTime } from '#components/platform/waits/clock-time.tsx'
import { Button } from '#components/ui/button.tsx'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { ReviewBox } from '../license-changes/review-box.tsx'

/** In the review's place while the vendor takes no change: what was typed is kept. */
export function Waiting({
  item,
  until,
  quantity,
  first,
  onDiscard,
}: {
  item: AssetListItem
  until: number
  quantity: number | null
  first: RefObject<HTMLElement | null>
  onDiscard: () => void
}) {
  return (
    <ReviewBox
      live="polite"
      title={
        <span>
          {item.vendor?.label ?? 'The vendor'} takes no change before <ClockTime at={until} />
        </span>
      }
      actions={
        <Button ref={first as RefObject<HTMLButtonElement>} onClick={onDiscard}>
          Discard
        </Button>
      }
    >
      Your {quantity?.toLocaleString('en') ?? 'number'} is kept on this page, and can be reviewed then.
    </ReviewBox>
  )
}

/** In the review's place while another change of the asset is open: what was typed is kept. */
export function Held({
  openChange: { to, actor },
  quantity,
  first,
  onDiscard,
}: {
  openChange: OpenChange
  quantity: number | null
  first: RefObject<HTMLElement | null>
  onDiscard: () => void
}) {
  return (
    <ReviewBox
      live="polite"
      title="Another change is being confirmed"
      actions={
        <Button ref={first as RefObject<HTMLButtonElement>} onClick={onDiscard}>
          Discard
        </Button>
      }
    >
      {actor.name ? whoText(actor) : 'Somebody'} asked for {licensesText(to)}, and the vendor has not
      confirmed it yet. Your {quantity?.toLocaleString('en') ?? 'number'} is kept, and can be reviewed then.
    </ReviewBox>
  )
}
