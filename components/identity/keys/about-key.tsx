'use client'

import type { ReactNode } from 'react'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import type { Key } from '#lib/identity/keys/contract.ts'

/** What each dialog about one key is given. */
export type AboutKey = { target: Key; onChanged: () => void; onClose: () => void }

type Asked = {
  /** As "Revoke key": it names the dialog and its button. */
  what: string
  /** As "Not revoked". */
  notDone: string
  error: Error | null
  isPending: boolean
  onDo: () => void
  onClose: () => void
  children: ReactNode
}

/** Asks whether something is to be done with a key, and says why it was not. */
export function AskAboutKey({ what, notDone, error, isPending, onDo, onClose, children }: Asked) {
  return (
    <Dialog title={what} onClose={onClose}>
      {children}
      {error ? (
        <div className="mt-3">
          <NotDone title={notDone} error={error} />
        </div>
      ) : null}
      <div className="mt-5 flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button look="primary" pending={isPending} onClick={onDo}>
          {what}
        </Button>
      </div>
    </Dialog>
  )
}
