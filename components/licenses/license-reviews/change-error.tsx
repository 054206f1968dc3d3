'use client'

import type { RefObject } from 'react'
import { WaitButton } from '#components/platform/waits/wait-button.tsx'
import { waitText } from '#components/platform/waits/wait-text.ts'
import { Button } from '#components/ui/button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { RequestId } from '#components/ui/request-id.tsx'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { ReviewBox } from '../license-changes/review-box.tsx'
import { changeErrorText } from './change-error-text.ts'
import { Conflict, conflictOf } from './conflict.tsx'

/** Explains why the licenses were not changed, and offers the ways out. */
export function ChangeError({
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
  /** Total that was on screen at the request. */
  from: number
  assigned: number
  first: RefObject<HTMLElement | null>
  /** Reviews another total. */
  onTry: (quantity: number) => void
  /** Requests the same total again. */
  onAgain: () => void
  /** Sets the total despite the conflict, over another caller's version. */
  onOverrule: (etag: string) => void
  isCommitmentPlan: boolean
  onDiscard: () => void
}) {
  const conflict = conflictOf(error)
  if (conflict) {
    const decide = isCommitmentPlan ? () => onTry(quantity) : () => onOverrule(conflict.etag)
    return (
      <Conflict
        conflict={conflict}
        quantity={quantity}
        from={from}
        first={first}
        onDiscard={onDiscard}
        careful={isCommitmentPlan}
        onDecide={decide}
      />
    )
  }
  const {
    title,
    detail,
    floor,
    again,
    wait = 0,
    signIn,
    contactsReseller,
  } = changeErrorText(error, quantity, assigned)
  const requestId = error instanceof ProblemError ? error.more.requestId : undefined
  const ref = first as RefObject<HTMLButtonElement>
  return (
    <div role="alert">
      <ReviewBox
        title={title}
        actions={
          <>
            <Button variant="quiet" onClick={onDiscard} {...(floor || again ? {} : { ref })}>
              Discard
            </Button>
            {floor === undefined ? null : (
              <Button ref={ref} variant="primary" onClick={() => onTry(floor)}>
                Try {floor.toLocaleString('en')}
              </Button>
            )}
            {again ? (
              // Each refusal has its own wait.
              <WaitButton key={requestId} ref={ref} seconds={wait} text="Try again" onPress={onAgain} />
            ) : null}
            {signIn ? (
              <ButtonLink variant="primary" href={`/sign-in?from=${encodeURIComponent(here())}`}>
                Sign in
              </ButtonLink>
            ) : null}
          </>
        }
      >
        {detail}
        {/* The button shows the countdown. */}
        {wait > 0 ? <span className="sr-only"> Try again in {waitText(wait)}.</span> : null}
        {requestId ? (
          <span className="block">
            {contactsReseller ? 'Tell your reseller, and quote: ' : null}
            <RequestId id={requestId} />
          </span>
        ) : null}
      </ReviewBox>
    </div>
  )
}

function here(): string {
  return location.pathname + location.search
}
