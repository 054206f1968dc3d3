'use client'

import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'

/**
 * A modal dialog, open for as long as it is rendered. The browser keeps the focus inside, closes it on
 * Escape, and gives the focus back to what had it. It may stand in a cell of a table, whose text goes to the right.
 */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: ReactNode
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // Before it leaves the page: a dialog that is gone gives no focus back.
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
      className="appear m-auto w-100 max-w-[calc(100vw-2rem)] rounded-card border border-line-2 bg-surface p-6 text-left text-ink shadow-float"
    >
      <h2 id={id} className="text-lg font-semibold">
        {title}
      </h2>
      {children}
    </dialog>
  )
}
