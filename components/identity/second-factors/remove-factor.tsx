'use client'

import { useMutation } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { removeFactor } from '#lib/identity/client.ts'
import type { SecondFactor } from '#lib/identity/second-factors/contract.ts'
import { nameOf } from './factor-row.tsx'

/** Removes a factor, after it was said what happens. */
export function RemoveFactor({
  factor,
  isLast,
  onRemoved,
  onClose,
}: {
  factor: SecondFactor
  isLast: boolean
  onRemoved: (said: string) => void
  onClose: () => void
}) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => removeFactor({ params: { factor_id: factor.id } }),
    onSuccess: () => onRemoved(`Removed: ${nameOf(factor)}`),
  })
  return (
    <Dialog title={`Remove ${nameOf(factor)}?`} onClose={onClose}>
      <p className="mt-2 text-sm">
        {isLast
          ? 'It is the last one: sign-in asks for your password alone then, and your recovery codes are gone.'
          : 'Sign-in asks for one of the others then.'}
      </p>
      {error ? (
        <div className="mt-3">
          <NotDone title="Not removed" error={error} />
        </div>
      ) : null}
      <div className="mt-4 flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button pending={isPending} onClick={() => mutate()} className="text-danger">
          Remove
        </Button>
      </div>
    </Dialog>
  )
}
