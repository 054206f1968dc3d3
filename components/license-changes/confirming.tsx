import type { RefObject } from 'react'
import type { OpenChange } from '#components/assets/one-asset.ts'
import { Button } from '#components/ui/button.tsx'
import { Spinner } from '#components/ui/spinner.tsx'
import { ReviewBox } from './review-box.tsx'
import { licensesText } from './words.ts'

/** Under a control that is switched off: a change whose outcome the vendor has not told yet. */
export function Confirming({
  id,
  from,
  openChange: { to, actor },
  place,
}: {
  id: string
  from: number
  openChange: OpenChange
  /** Takes the focus that the control has lost. */
  place: RefObject<HTMLParagraphElement | null>
}) {
  return (
    <p
      id={id}
      ref={place}
      role="status"
      tabIndex={-1}
      className="mt-1 rounded-sm text-xs tabular-nums max-md:max-w-30 max-md:text-left"
    >
      <span className="inline-flex items-center gap-1.5 max-md:items-start">
        <Spinner />
        Confirming with the vendor…
      </span>{' '}
      <span className="block wrap-anywhere text-ink-3">
        <span className="whitespace-nowrap">
          {from.toLocaleString('en')} → {to.toLocaleString('en')}
        </span>
        {actor.name ? `, ${actor.name}` : ''}
      </span>
    </p>
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
      {actor.name || 'Somebody'} asked for {licensesText(to)}, and the vendor has not confirmed it yet. Your{' '}
      {quantity?.toLocaleString('en') ?? 'number'} is kept, and can be reviewed then.
    </ReviewBox>
  )
}
