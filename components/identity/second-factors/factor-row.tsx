'use client'

import { useMutation } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Moment } from '#components/platform/values/times.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { removeFactor } from '#lib/identity/client.ts'
import type { SecondFactor } from '#lib/identity/second-factors/contract.ts'

/** Returns the member's name for a factor. */
function nameOf({ name }: Pick<SecondFactor, 'name'>): string {
  return escapeInvisible(name)
}

/**
 * Factor with its creation and its last use.
 * @param hasSharedFactors whether another factor also counts at other customers: then the row says where this one
 * doesn't
 */
export function FactorRow({
  factor,
  hasSharedFactors,
  onRemove,
}: {
  factor: SecondFactor
  hasSharedFactors: boolean
  onRemove: () => void
}) {
  const { kind, createTime, lastUseTime, isEverywhere } = factor
  return (
    <li className="flex items-center justify-between gap-3 py-3">
      <div className="min-w-0">
        <p className="font-[550] wrap-anywhere">{nameOf(factor)}</p>
        <p className="text-sm text-ink-3">
          {kind === 'totp' ? 'Added' : 'Passkey added'} <Moment at={createTime} /> UTC
          {lastUseTime === undefined ? null : (
            <>
              {' '}
              · Last used <Moment at={lastUseTime} /> UTC
            </>
          )}
          {isEverywhere || !hasSharedFactors ? null : ' · Only for this customer'}
        </p>
      </div>
      <Button onClick={onRemove} aria-label={`Remove ${nameOf(factor)}`}>
        Remove
      </Button>
    </li>
  )
}

/** Removes a factor, after a confirmation that states the consequences. */
export function RemoveFactor({
  factor,
  isLast,
  onRemoved,
  onClose,
}: {
  factor: SecondFactor
  isLast: boolean
  onRemoved: (message: string) => void
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
          ? 'This is your last one. You’ll sign in with only your password, and your recovery codes stop working.'
          : 'You’ll sign in with one of the others.'}
      </p>
      {error ? (
        <div className="mt-3">
          <NotDone title="Not removed" error={error} />
        </div>
      ) : null}
      <div className="mt-4 flex justify-end gap-2">
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button pending={isPending} onClick={() => mutate()} className="text-danger">
          Remove
        </Button>
      </div>
    </Dialog>
  )
}
