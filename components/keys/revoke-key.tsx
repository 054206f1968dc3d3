'use client'

import { useMutation } from '@tanstack/react-query'
import { Moment } from '#components/dates/moment.tsx'
import { NotDone } from '#components/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { visible } from '#components/ui/visible.ts'
import { revokeKey } from '#lib/keys/queries.ts'
import type { AboutKey } from './rename-key.tsx'

/** Asks whether a key is to end, and says what that means. */
export function RevokeKey({ target, onChanged, onClose }: AboutKey) {
  const say = useToast()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => revokeKey({ params: { key_id: target.id } }),
    onSuccess: () => {
      onChanged()
      onClose()
      say(`Revoked: ${target.name}`)
    },
  })
  return (
    <Dialog title="Revoke key" onClose={onClose}>
      <p className="mt-2 wrap-anywhere text-ink-2">
        <strong className="font-[550] text-ink">{visible(target.name)}</strong> ends at once: what uses it is
        refused from its next request on. This can not be undone.
      </p>
      <p className="mt-2 text-ink-3">
        {target.lastUseTime === undefined ? (
          'It was never used.'
        ) : (
          <>
            It was used last on <Moment at={target.lastUseTime} /> UTC
            {target.lastUseAddress ? ` from ${target.lastUseAddress}` : ''}.
          </>
        )}
      </p>
      {error ? (
        <div className="mt-3">
          <NotDone title="Not revoked" error={error} />
        </div>
      ) : null}
      <div className="mt-5 flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button look="primary" pending={isPending} onClick={() => mutate()}>
          Revoke key
        </Button>
      </div>
    </Dialog>
  )
}
