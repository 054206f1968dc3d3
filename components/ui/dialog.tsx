'use client'

import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'

/** Panels: dialogs are centered, and wide with two columns of fields; search panels start at the top, so that a list can grow downwards. */
const VARIANTS = {
  asks: { box: 'm-auto w-100 p-6', title: 'text-lg font-semibold' },
  wide: { box: 'm-auto w-140 p-6', title: 'text-lg font-semibold' },
  finds: { box: 'mx-auto mt-[12vh] w-150 overflow-hidden p-0 max-md:mt-4', title: 'sr-only' },
}

/**
 * Modal dialog, open for as long as it is rendered. The browser traps the focus, closes the dialog on Escape, and
 * returns the focus to the previous element. Resets the text alignment, because it may be rendered within a
 * right-aligned table cell.
 */
export function Dialog({
  title,
  variant = 'asks',
  onClose,
  children,
}: {
  title: string
  variant?: keyof typeof VARIANTS
  onClose: () => void
  children: ReactNode
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // Closed before it is removed: a removed dialog does not restore the focus.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={(event) => event.currentTarget.open || onClose()}
      className={`appear max-w-[calc(100vw-2rem)] rounded-card border border-line-2 bg-surface text-left text-ink shadow-float ${VARIANTS[variant].box}`}
    >
      <h2 id={id} className={VARIANTS[variant].title}>
        {title}
      </h2>
      {children}
    </dialog>
  )
}
