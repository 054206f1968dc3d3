import { differenceText, licensesText } from '#components/licenses/assets/labels.ts'
import { changeErrorText } from '#components/licenses/license-reviews/change-error-text.ts'
import { conflictOf } from '#components/licenses/license-reviews/conflict.tsx'
import { agoText } from '#components/platform/values/times.tsx'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import type { ListRow, RowState } from './list.ts'

/** Returns why a row was not set, with the same texts as the row's own control. */
export function reasonOf(
  error: unknown,
  { quantity, assigned, quantityState }: ListRow,
  now: number,
): string {
  if (!(error instanceof ProblemError)) return 'We couldn’t confirm the changes. It’s safe to try again.'
  const conflict = conflictOf(error)
  if (conflict) {
    const { current, changedBy, changedAt } = conflict
    const who = `${changedBy} set this to ${licensesText(current)}`
    const when = changedAt === undefined ? '' : ` ${agoText(changedAt, now)}`
    const was = quantityState ? `, not ${differenceText(quantity - quantityState.purchased)}` : ''
    return `${who}${when}. Your ${quantity.toLocaleString('en')} now means ${differenceText(quantity - current)}${was}.`
  }
  if (error.code === 'not_found') return 'No asset has this ID.'
  return changeErrorText(error, quantity, assigned).detail
}

const CHECKED: Record<RowState, string> = {
  waiting: 'Not checked yet',
  checking: 'Checking…',
  allowed: 'Allowed',
  same: 'No change',
  refused: 'Can’t be set',
  unchecked: 'Not checked',
  sending: 'Applying…',
  done: 'Done',
  conflict: 'Changed meanwhile',
  unknown: 'Not confirmed yet',
  lost: 'Not known yet',
  failed: 'Not done',
}

/** Returns the display text of a row's state. */
export function stateText({ state, quantityState }: ListRow, confirmed: boolean): string {
  if (state === 'allowed' && confirmed) return 'Not sent yet'
  return state === 'allowed' && quantityState?.isCommitmentPlan ? 'Can’t be undone' : CHECKED[state]
}
