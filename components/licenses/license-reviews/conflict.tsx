'use client'

import type { RefObject } from 'react'
import { differenceText, licensesText } from '#components/licenses/assets/labels.ts'
import { agoText } from '#components/platform/values/times.tsx'
import { Button } from '#components/ui/button.tsx'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { ReviewBox } from '../license-changes/review-box.tsx'

type VersionConflict = { current: number; changedBy: string; changedAt: number | undefined; etag: string }

/** Returns the members of a `version_mismatch` problem; undefined for any other error. */
export function conflictOf(error: Error): VersionConflict | undefined {
  if (!(error instanceof ProblemError) || error.code !== 'version_mismatch') return undefined
  const { current, changedBy, changedAt, etag } = error.more.members ?? {}
  if (typeof current !== 'number' || typeof etag !== 'string') return undefined
  return {
    current,
    etag,
    changedBy: String(changedBy),
    changedAt: typeof changedAt === 'number' ? changedAt : undefined,
  }
}

/** Conflict with another member's change: who, when, and the new meaning of the typed total. */
export function Conflict({
  conflict,
  quantity,
  from,
  careful,
  first,
  onDecide,
  onDiscard,
}: {
  conflict: VersionConflict
  quantity: number
  /** Total that was on screen at the request. */
  from: number
  /** Whether the total is reviewed again, because it can't be undone. */
  careful: boolean
  first: RefObject<HTMLElement | null>
  onDecide: () => void
  onDiscard: () => void
}) {
  const { current, changedBy, changedAt } = conflict
  const when = changedAt === undefined ? '' : ` ${agoText(changedAt, Date.now())}`
  const same = quantity === current
  return (
    <div role="alert">
      <ReviewBox
        title={`${changedBy} set this to ${licensesText(current)}${when}`}
        actions={
          <>
            <Button
              variant={same ? 'primary' : 'quiet'}
              onClick={onDiscard}
              ref={first as RefObject<HTMLButtonElement>}
            >
              Keep {current.toLocaleString('en')}
            </Button>
            {same ? null : (
              <Button variant="primary" onClick={onDecide}>
                {careful ? `Review ${quantity.toLocaleString('en')}` : `Set to ${licensesText(quantity)}`}
              </Button>
            )}
          </>
        }
      >
        {same
          ? 'That is the total that you typed.'
          : `You started from ${from.toLocaleString('en')}. Your ${quantity.toLocaleString('en')} now means ${differenceText(quantity - current)}, not ${differenceText(quantity - from)}.`}
      </ReviewBox>
    </div>
  )
}
