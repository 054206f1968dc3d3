import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/**
 * Asks for confirmation of a destructive action. `children` are its consequences; `refused` is the error of a failed
 * attempt.
 */
export function Confirm({
  title,
  button,
  pending,
  refused,
  onConfirm,
  onClose,
  children,
}: {
  title: string
  button: string
  pending: boolean
  refused: ReactNode
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="mt-2 grid gap-3">
        <p className="wrap-anywhere text-ink-2">{children}</p>
        {refused}
      </div>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button variant="primary" pending={pending} onClick={onConfirm}>
          {button}
        </Button>
      </div>
    </Dialog>
  )
}
