'use client'

import type { RefObject } from 'react'
import { Button } from '#components/ui/button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { RequestId } from '#components/ui/request-id.tsx'
import { Problem } from '#lib/api/problem.ts'
import { Conflict, conflictOf } from './conflict.tsx'
import { licensesText, untilText } from './plan.ts'
import { ReviewBox } from './review-box.tsx'

/** Why the licenses were not changed, and what can be done about it. */
export function Refusal({
  error,
  quantity,
  from,
  assigned,
  first,
  onTry,
  onAgain,
  onOverrule,
  isCommitmentPlan,
  onDiscard,
}: {
  error: Error
  quantity: number
  /** The total that was on screen when the change was asked for. */
  from: number
  assigned: number
  first: RefObject<HTMLElement | null>
  /** Takes another total into the review. */
  onTry: (quantity: number) => void
  /** Asks for the same total again. */
  onAgain: () => void
  /** Sets the total all the same, over the version that somebody else made. */
  onOverrule: (etag: string) => void
  isCommitmentPlan: boolean
  onDiscard: () => void
}) {
  const conflict = conflictOf(error)
  if (conflict) {
    const decide = isCommitmentPlan ? () => onTry(quantity) : () => onOverrule(conflict.etag)
    return (
      <Conflict
        {...{ conflict, quantity, from, first, onDiscard }}
        careful={isCommitmentPlan}
        onDecide={decide}
      />
    )
  }
  const { title, detail, floor, again, signIn } = outcomeOf(error, quantity, assigned)
  const requestId = error instanceof Problem ? error.more.requestId : undefined
  const ref = first as RefObject<HTMLButtonElement>
  return (
    <div role="alert">
      <ReviewBox
        title={title}
        actions={
          <>
            <Button look="quiet" onClick={onDiscard} {...(floor || again ? {} : { ref })}>
              Discard
            </Button>
            {floor === undefined ? null : (
              <Button ref={ref} look="primary" onClick={() => onTry(floor)}>
                Try {floor.toLocaleString('en')}
              </Button>
            )}
            {again ? (
              <Button ref={ref} look="primary" onClick={onAgain}>
                Try again
              </Button>
            ) : null}
            {signIn ? (
              <ButtonLink look="primary" href={`/sign-in?from=${encodeURIComponent(here())}`}>
                Sign in
              </ButtonLink>
            ) : null}
          </>
        }
      >
        {detail}
        {requestId ? (
          <span className="block">
            <RequestId id={requestId} />
          </span>
        ) : null}
      </ReviewBox>
    </div>
  )
}

type Outcome = { title: string; detail: string; floor?: number; again?: boolean; signIn?: boolean }

function outcomeOf(error: Error, quantity: number, assigned: number): Outcome {
  const title = `Not changed to ${licensesText(quantity)}`
  if (!(error instanceof Problem)) {
    const detail =
      'No answer came, so it is not known whether the change was made. The total above is read again; asking for the same total again is safe.'
    return { title: 'No answer', detail, again: true }
  }
  const detail = error.message
  switch (error.code) {
    case 'vendor_rejected': {
      const refused = { title: `Not changed: the vendor refused ${quantity.toLocaleString('en')}`, detail }
      return quantity < assigned ? { ...refused, floor: assigned } : refused
    }
    case 'decrease_not_allowed': {
      const { minimum, commitmentEndTime: until } = error.more.members ?? {}
      if (typeof minimum !== 'number') return { title, detail }
      const end = untilText(typeof until === 'number' ? until : undefined)
      return { title, detail: `This plan can’t go below ${licensesText(minimum)} ${end}.`, floor: minimum }
    }
    case 'change_in_progress':
      return {
        title,
        detail: 'Another change of this asset is in progress. Try again in a moment.',
        again: true,
      }
    case 'service_unavailable':
    case 'internal_error':
      return { title, detail, again: true }
    case 'unauthenticated':
      return { title, detail: 'You were signed out. Sign in, and type the total again.', signIn: true }
    default:
      return { title, detail }
  }
}

function here(): string {
  return location.pathname + location.search
}
