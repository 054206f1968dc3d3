import { Problem } from '#lib/api/problem.ts'
import { licensesText, untilText } from './words.ts'

/** What a refusal says, and which ways out it offers: a lower bound to try, the same again, or signing in. */
export type RefusalText = { title: string; detail: string; floor?: number; again?: boolean; signIn?: boolean }

/** @param quantity the total that was asked for */
export function refusalText(error: Error, quantity: number, assigned: number): RefusalText {
  const title = `Not changed to ${licensesText(quantity)}`
  if (!(error instanceof Problem)) {
    const detail =
      'No answer came, so it is not known whether the change was made. The total above is read again; asking for the same total again is safe.'
    return { title: 'No answer', detail, again: true }
  }
  const detail = error.message
  switch (error.code) {
    case 'vendor_rejected': {
      const verb = error.more.members?.foreseen ? 'would refuse' : 'refused'
      const refused = { title: `Not changed: the vendor ${verb} ${quantity.toLocaleString('en')}`, detail }
      return quantity < assigned ? { ...refused, floor: assigned } : refused
    }
    case 'decrease_not_allowed': {
      const { minimum, commitmentEndTime: until } = error.more.members ?? {}
      if (typeof minimum !== 'number') return { title, detail }
      const end = untilText(typeof until === 'number' ? until : undefined)
      return { title, detail: `This plan can’t go below ${licensesText(minimum)} ${end}.`, floor: minimum }
    }
    case 'change_in_progress':
      // The vendor's own words about an operation of its own say what can be done.
      if (error.more.members?.changeId === undefined) return { title, detail, again: true }
      return { title, detail: `${detail} ${retryText(error)}`, again: true }
    case 'vendor_unavailable':
      return { title, detail: `${detail} ${retryText(error)}`, again: true }
    case 'service_unavailable':
    case 'internal_error':
      return { title, detail, again: true }
    case 'unauthenticated':
      return { title, detail: 'You were signed out. Sign in, and type the total again.', signIn: true }
    default:
      return { title, detail }
  }
}

function retryText({ more: { retryAfter } }: Problem): string {
  return retryAfter === undefined ? 'Try again in a moment.' : `Try again in ${retryAfter} s.`
}
