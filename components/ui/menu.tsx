'use client'

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type PanelSide, useSide } from './panel-side.ts'

const SIDES: Record<PanelSide, string> = {
  'under-left': 'top-full left-0 mt-1.5',
  'under-right': 'top-full right-0 mt-1.5',
  'over-left': 'bottom-full left-0 mb-1.5',
  'over-right': 'bottom-full right-0 mb-1.5',
}

/**
 * Button that opens a panel of further controls. The panel is not modal: Tab moves through it, Escape and a press
 * outside close it, and Escape returns the focus. It opens on a side with enough room. The argument of `children`
 * closes it.
 */
export function Menu({
  label,
  title,
  button,
  buttonClassName,
  rootClassName = 'relative',
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
  /** Positions the panel at another ancestor, such as on phones a whole row of buttons. */
  rootClassName?: string
  side?: PanelSide
  className?: string
  /** Fetches the panel's data or script, as soon as the user is about to open it. */
  preload?: (() => unknown) | undefined
  children: (close: () => void) => ReactNode
}) {
  const id = useId()
  const root = useRef<HTMLDivElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  const panelSide = useSide(side, open, panel)

  useEffect(() => {
    if (!open) return
    const onElsewhere = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setOpen(false)
      trigger.current?.focus()
    }
    document.addEventListener('pointerdown', onElsewhere)
    document.addEventListener('focusin', onElsewhere)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointerdown', onElsewhere)
      document.removeEventListener('focusin', onElsewhere)
      document.removeEventListener('keydown', onKey)
    }
  }, [open])

  return (
    <div ref={root} className={rootClassName}>
      <button
        ref={trigger}
        type="button"
        aria-label={label}
        title={title}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => setOpen(!open)}
        className={buttonClassName}
      >
        {button}
      </button>
      {open ? (
        <div
          ref={panel}
          id={id}
          className={`appear absolute z-30 min-w-52 rounded-card border border-line-2 bg-surface p-1.5 shadow-float ${SIDES[panelSide]} ${className}`}
        >
          {children(() => {
            setOpen(false)
            trigger.current?.focus()
          })}
        </div>
      ) : null}
    </div>
  )
}

/** Styles of a menu entry, for buttons and links. */
export const MENU_ITEM =
  'flex w-full items-center gap-2.5 rounded-md px-2.5 py-1.75 max-md:py-2.5 text-left text-sm text-ink hover:bg-sunken aria-[current]:font-semibold'
