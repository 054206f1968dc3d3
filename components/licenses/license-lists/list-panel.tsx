'use client'

import { useEffect, useRef } from 'react'
import { ReviewBox } from '#components/licenses/license-changes/review-box.tsx'
import { Button } from '#components/ui/button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Spinner } from '#components/ui/spinner.tsx'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { totalsOf, totalsText } from '#lib/licenses/license-lists/rules.ts'
import { ConfirmList } from './confirm-list.tsx'
import { changesOf, countAsListed, type LicenseList, openRows, rowsIn } from './list.ts'
import type { ListState } from './list-keeper.ts'
import { ListReceipt } from './list-receipt.tsx'

type ListPanelProps = Pick<ListState, 'running' | 'stopping' | 'isResumable' | 'stopped'> & {
  list: LicenseList
  prices: Record<string, LastPrice>
  onCheck: () => void
  onConfirm: () => void
  onContinue: () => void
  onStop: () => void
  onEdit: () => void
  onStartOver: () => void
}

/** State of the whole list, and the next actions. Takes the focus when the state changes. */
export function ListPanel(props: ListPanelProps) {
  const { list, running, stopped, isResumable } = props
  const container = useRef<HTMLElement>(null)
  const stage = running ?? (list.confirmed ? 'sent' : 'checked')
  const shownStage = useRef(isResumable ? stage : undefined)
  useEffect(() => {
    const active = document.activeElement
    // The pressed button is gone by now. Leave the focus where the user has moved it in the meantime.
    const isLost = !active || active === document.body || container.current?.contains(active)
    if (shownStage.current !== stage && isLost) container.current?.focus({ preventScroll: true })
    shownStage.current = stage
  }, [stage])
  return (
    <section
      ref={container}
      tabIndex={-1}
      aria-label="The list as a whole"
      className="rounded-card bg-accent-tint p-3.5"
    >
      <p role="status" className="sr-only">
        {stage === 'check' ? 'Checking the list' : stage === 'send' ? 'Setting licenses' : titleOf(list)}
      </p>
      {stopped ? <SignedOut /> : null}
      {running ? <Progress {...props} /> : null}
      {stage === 'checked' ? <ConfirmList {...props} title={titleOf(list)} /> : null}
      {stage === 'sent' ? <ListReceipt {...props} title={titleOf(list)} /> : null}
    </section>
  )
}

/** Returns the title: the changes that the list will make, or has made. */
function titleOf(list: LicenseList): string {
  const allowed = rowsIn(list, 'allowed')
  if (!list.confirmed) return allowed.length > 0 ? totalsText(totalsOf(changesOf(allowed))) : 'Nothing to set'
  const { length } = list.rows
  const rows = `${length.toLocaleString('en')} ${length === 1 ? 'row is' : 'rows are'}`
  return `${countAsListed(list).toLocaleString('en')} of ${rows} as listed`
}

function SignedOut() {
  return (
    <p role="alert" className="mb-3 text-sm text-danger">
      Your session ended, or your role was removed. The list is kept:{' '}
      <ButtonLink variant="plain" href="/sign-in?from=%2Fassets%2Fbulk">
        Sign in
      </ButtonLink>
    </p>
  )
}

function Progress({ list, running, stopping, onStop }: ListPanelProps) {
  const isCheck = running === 'check'
  const rest = (isCheck ? rowsIn(list, 'waiting', 'checking') : openRows(list)).length
  const unknown = rowsIn(list, 'unknown').length
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
