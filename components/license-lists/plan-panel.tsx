'use client'

import { useEffect, useRef } from 'react'
import type { LastPrice } from '#components/assets/cost.ts'
import { ReviewBox } from '#components/license-changes/review-box.tsx'
import { Button } from '#components/ui/button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Spinner } from '#components/ui/spinner.tsx'
import { totalsOf } from '#lib/license-lists/rules.ts'
import { totalsText } from '#lib/license-lists/words.ts'
import { ConfirmPlan } from './confirm-plan.tsx'
import { asListed, changesOf, openRows, type Plan, rowsIn } from './plan.ts'
import { PlanOutcome } from './plan-outcome.tsx'
import type { State } from './store.ts'

type Given = Pick<State, 'running' | 'stopping' | 'found' | 'stopped'> & {
  plan: Plan
  prices: Record<string, LastPrice>
  onCheck: () => void
  onConfirm: () => void
  onGoOn: () => void
  onStop: () => void
  onEdit: () => void
  onNew: () => void
}

/** Where a list stands as a whole, and what can be done next. It takes the focus when that changes. */
export function PlanPanel(given: Given) {
  const { plan, running, stopped, found } = given
  const place = useRef<HTMLElement>(null)
  const stage = running ?? (plan.confirmed ? 'sent' : 'checked')
  const known = useRef(found ? stage : undefined)
  useEffect(() => {
    const active = document.activeElement
    // What was pressed is gone by now. Who has gone elsewhere meanwhile is left there.
    const isLost = !active || active === document.body || place.current?.contains(active)
    if (known.current !== stage && isLost) place.current?.focus({ preventScroll: true })
    known.current = stage
  }, [stage])
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-label="The list as a whole"
      className="rounded-card bg-accent-tint p-3.5"
    >
      <p role="status" className="sr-only">
        {stage === 'check' ? 'Checking the list' : stage === 'send' ? 'Setting licenses' : titleOf(plan)}
      </p>
      {stopped ? <SignedOut /> : null}
      {running ? <Progress {...given} /> : null}
      {stage === 'checked' ? <ConfirmPlan {...given} title={titleOf(plan)} /> : null}
      {stage === 'sent' ? <PlanOutcome {...given} title={titleOf(plan)} /> : null}
    </section>
  )
}

/** What a list comes to, or has come to. */
function titleOf(plan: Plan): string {
  const allowed = rowsIn(plan, 'allowed')
  if (!plan.confirmed) return allowed.length > 0 ? totalsText(totalsOf(changesOf(allowed))) : 'Nothing to set'
  const { length } = plan.rows
  const rows = `${length.toLocaleString('en')} ${length === 1 ? 'row is' : 'rows are'}`
  return `${asListed(plan).toLocaleString('en')} of ${rows} as listed`
}

function SignedOut() {
  return (
    <p role="alert" className="mb-3 text-sm text-danger">
      You were signed out, or your role was taken away. The list is kept:{' '}
      <ButtonLink look="plain" href="/sign-in?from=%2Fassets%2Fbulk">
        Sign in
      </ButtonLink>
    </p>
  )
}

function Progress({ plan, running, stopping, onStop }: Given) {
  const isCheck = running === 'check'
  const rest = (isCheck ? rowsIn(plan, 'waiting', 'checking') : openRows(plan)).length
  const unknown = rowsIn(plan, 'unknown').length
  return (
    <ReviewBox
      title={`${isCheck ? 'Checking the list' : 'Setting licenses'}: ${rest.toLocaleString('en')} ${rest === 1 ? 'row' : 'rows'} to go`}
      badge={<Spinner />}
      actions={
        <Button onClick={onStop} pending={stopping}>
          {stopping ? 'Stopping…' : 'Stop'}
        </Button>
      }
    >
      {isCheck
        ? 'Nothing is changed by this.'
        : unknown > 0
          ? `${unknown.toLocaleString('en')} not confirmed by the vendor yet: looked up again every few seconds.`
          : 'After a stop, what is done stays done.'}
    </ReviewBox>
  )
}
