'use client'

import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

type FormProps = {
  /** Label of the button that submits. */
  submit: string
  pending: boolean
  /** Buttons before Cancel, such as one that removes. */
  others?: ReactNode
  /** Not called while `pending`. */
  onSubmit: (form: HTMLFormElement) => void
  onClose: () => void
  children: ReactNode
}

/** Dialog with a form: its purpose, its fields, and the buttons that cancel and submit. */
export function FormDialog({
  title,
  about,
  variant = 'asks',
  ...form
}: FormProps & { title: string; about?: ReactNode; variant?: 'asks' | 'wide' }) {
  return (
    <Dialog title={title} variant={variant} onClose={form.onClose}>
      {about ? <p className="mt-1 wrap-anywhere text-ink-2">{about}</p> : null}
      <DialogForm {...form} />
    </Dialog>
  )
}

/** Form of a dialog that has other parts, too. */
export function DialogForm({ submit, pending, others, onSubmit, onClose, children }: FormProps) {
  return (
    <form
      method="post"
      className="mt-4 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!pending) onSubmit(event.currentTarget)
      }}
    >
      {children}
      <div className="mt-1 flex flex-wrap justify-end gap-2">
        {others}
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" pending={pending}>
          {submit}
        </Button>
      </div>
    </form>
  )
}
