import { licensesText, untilText } from '#components/licenses/assets/labels.ts'
import { waitText } from '#components/platform/waits/wait-text.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

/**
 * Text of a refusal, and its ways out: a lower bound to try, the same total again, the same after `wait` seconds, or
 * signing in. With `contactsReseller` the reseller has to act.
 */
export type ChangeErrorText = {
  title: string
  detail: string
  floor?: number
  again?: boolean
  wait?: number
  signIn?: boolean
  contactsReseller?: boolean
}

/**
 * Returns the text of a failed change.
 * @param quantity requested total
 */
export function changeErrorText(error: Error, quantity: number, assigned: number): ChangeErrorText {
  const title = `Not changed to ${licensesText(quantity)}`
  if (!(error instanceof ProblemError)) {
    const detail = 'We couldn’t confirm the change. It’s safe to try again.'
    return { title: 'No answer', detail, again: true }
  }
  const detail = error.message
  switch (error.code) {
    case 'vendor_rejected': {
      const number = quantity.toLocaleString('en')
      const rejection = error.more.members?.foreseen
        ? { title: `Not sent: the vendor would refuse ${number}`, detail: `Nothing was sent. ${detail}` }
        : { title: `Not changed: the vendor refused ${number}`, detail }
      return quantity < assigned ? { ...rejection, floor: assigned } : rejection
    }
    case 'decrease_not_allowed': {
      const { minimum, commitmentEndTime: until } = error.more.members ?? {}
      if (typeof minimum !== 'number') return { title, detail }
      const end = untilText(typeof until === 'number' ? until : undefined)
      return { title, detail: `This plan can’t go below ${licensesText(minimum)} ${end}.`, floor: minimum }
    }
    case 'change_in_progress':
      // The vendor's own message about its pending operation explains the options.
      if (error.more.members?.changeId === undefined) return { title, detail, again: true, ...waitOf(error) }
      return { title, detail: `${detail} ${retryText(error)}`, again: true }
    case 'rate_limited':
      return { title, detail, again: true, ...waitOf(error) }
    case 'vendor_unavailable':
      return { title, again: true, ...unavailableText(error) }
    case 'service_unavailable':
    case 'internal_error':
      return { title, detail, again: true }
    case 'unauthenticated':
      return { title, detail: 'Your session ended. Sign in to continue.', signIn: true }
    default:
      return { title, detail }
  }
}

/**
 * Returns the text for an unavailable vendor. A retry does not fix our credentials, and a vendor with a wait is retried
 * only afterwards.
 */
function unavailableText(error: ProblemError): Pick<ChangeErrorText, 'detail' | 'wait' | 'contactsReseller'> {
  const { because } = error.more.members ?? {}
  if (because === 'no_access') return { detail: error.message, contactsReseller: true }
  if (because === 'throttled' && error.more.retryAfter !== undefined)
    return { detail: error.message, ...waitOf(error) }
  return { detail: `${error.message} ${retryText(error)}` }
}

function waitOf({ more: { retryAfter } }: ProblemError): Pick<ChangeErrorText, 'wait'> {
  return retryAfter === undefined ? {} : { wait: retryAfter }
}

function retryText({ more: { retryAfter } }: ProblemError): string {
  return `Try again in ${retryAfter === undefined ? 'a moment' : waitText(retryAfter)}.`
}
