'use client'

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'

/** Position of a panel: under or over its button, aligned with its left or right edge. */
type PanelSide = 'under-left' | 'under-right' | 'over-left'

const SIDES: Record<PanelSide, string> = {
  'under-left': '[position-area:bottom_span-right]',
  'under-right': '[position-area:bottom_span-left]',
  'over-left': '[position-area:top_span-right]',
}

/** The side with the most height, in which a longer panel scrolls; on narrow screens at last the whole width. */
const FALLBACKS =
  '[position-try-order:most-height] [position-try-fallbacks:flip-block,flip-inline,flip-block_flip-inline,bottom_span-all,top_span-all]'

/** Place in browsers that have popovers without anchors: the lower edge of the screen. */
const UNANCHORED = 'not-supports-[position-area:bottom]:[inset:auto_0.5rem_0.5rem]'

/**
 * Button that opens a panel of further controls: a popover of the platform, anchored to its button. The panel is not
 * modal: Tab moves through it, Escape, a press outside and the focus elsewhere close it, and Escape returns the focus.
 * Its content is rendered while it is open. The argument of `children` closes it.
 */
export function Menu({
  label,
  title,
  button,
  buttonClassName,
  rootClassName,
  side = 'under-left',
  className = '',
  preload,
  children,
}: {
  /** Accessible name of the button where its content has none. */
  label?: string
  /** Tooltip of a button whose name is not visible. */
  title?: string
  button: ReactNode
  buttonClassName: string
  rootClassName?: string
  side?: PanelSide
  className?: string
  /** Fetches the panel's data or script, as soon as the user is about to open it. */
  preload?: (() => unknown) | undefined
  children: (close: () => void) => ReactNode
}) {
  const id = useId()
  const trigger = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  // The browser opens the panel before hydration, too.
  useEffect(() => setOpen(panel.current?.matches(':popover-open') ?? false), [])
  const close = () => panel.current?.hidePopover()
  const noteToggle = (isOpen: boolean) => {
    setOpen(isOpen)
    // Safari does not focus a button that is pressed, so that its popover has no focus to return.
    if (!isOpen && document.activeElement === document.body) trigger.current?.focus({ preventScroll: true })
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handler only notices where the focus goes
    <div
      className={rootClassName}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) close()
      }}
    >
      <button
        ref={trigger}
        type="button"
        popoverTarget={id}
        aria-label={label}
        title={title}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onPointerEnter={preload}
        onFocus={preload}
        className={buttonClassName}
      >
        {button}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        onToggle={({ newState }) => noteToggle(newState === 'open')}
        className={`fixed inset-auto my-1.5 max-h-[calc(100%-0.75rem)] max-w-[calc(100vw-1rem)] min-w-52 rounded-card border border-line-2 bg-surface p-1.5 text-left text-ink shadow-float empty:invisible not-empty:appear ${SIDES[side]} ${FALLBACKS} ${UNANCHORED} ${className}`}
      >
        {open ? children(close) : null}
      </div>
    </div>
  )
}

/** Styles of a menu entry, for buttons and links. */
export const MENU_ITEM =
  'flex w-full items-center gap-2.5 rounded-md px-2.5 py-1.75 max-md:py-2.5 text-left text-sm text-ink hover:bg-sunken aria-[current]:font-semibold'
