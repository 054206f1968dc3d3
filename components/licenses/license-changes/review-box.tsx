import { type KeyboardEvent, type MouseEvent, type ReactNode, type RefObject, useId } from 'react'
import { Button } from '#components/ui/button.tsx'

/** White box under the row that is being edited: the pending change, or the reason why it failed. */
export function ReviewBox({
  id,
  live,
  title,
  badge,
  children,
  actions,
}: {
  id?: string
  /** `aria-live` of the title; undefined where the surrounding box is a live region. */
  live?: 'polite' | 'assertive'
  title: ReactNode
  badge?: ReactNode
  children: ReactNode
  actions: ReactNode
}) {
  return (
    <div className="appear flex items-center gap-x-5 gap-y-3 rounded-card border border-line bg-surface px-3.5 py-3 text-left max-lg:flex-col max-lg:items-stretch">
      <div id={id} className="min-w-0 flex-1">
        <p
          aria-live={live}
          className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-semibold tabular-nums"
        >
          {title}
          {badge}
        </p>
        <div className="mt-0.5 text-xs text-ink-3 tabular-nums">{children}</div>
      </div>
      {actions === null ? null : (
        <div className="flex shrink-0 flex-wrap items-center gap-2 max-lg:flex-col max-lg:items-stretch">
          {actions}
        </div>
      )}
    </div>
  )
}

/** Ignores held keys and double clicks that began elsewhere, so that neither buys. */
export function holdBack(event: MouseEvent | KeyboardEvent) {
  if (event.type === 'keydown' ? (event as KeyboardEvent).repeat : event.detail > 1) event.preventDefault()
}

/**
 * Explains why a change is impossible; `children` are the alternatives, and Enter in the control moves the focus to
 * them.
 */
export function Impossible({
  title,
  text,
  first,
  onDiscard,
  children = null,
}: {
  title: string
  text: string
  /** First control: Enter in the quantity moves the focus here. */
  first: RefObject<HTMLElement | null>
  onDiscard: () => void
  children?: ReactNode
}) {
  const id = useId()
  const buttonProps = children
    ? { variant: 'quiet' as const }
    : { ref: first as RefObject<HTMLButtonElement> }
  const actions = (
    <>
      <Button {...buttonProps} onClick={onDiscard} aria-describedby={id}>
        Discard
      </Button>
      {children}
    </>
  )
  return (
    <ReviewBox id={id} live="assertive" title={title} actions={actions}>
      {text}
    </ReviewBox>
  )
}
