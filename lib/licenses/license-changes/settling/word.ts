import type { WriteAnswer } from '#lib/vendors/vendor.ts'

/**
 * The state of a change by the vendor's word to its write, and why, for people. That it was applied is believed of a
 * subscription alone that shows the total.
 * @param quantity the total that was sent
 */
export function wordOf(told: WriteAnswer, quantity: number, label: string) {
  const vendorRequestId = 'vendorRequestId' in told ? told.vendorRequestId : undefined
  const pollRef = 'pollRef' in told ? told.pollRef : undefined
  const word = <State extends string>(state: State, vendorReason?: string) => ({
    state,
    vendorReason,
    vendorRequestId,
    pollRef,
  })
  if (told.kind === 'applied' && told.observed.seats.purchased === quantity) return word('APPLIED')
  if (told.kind === 'rejected') return word('REJECTED', told.reason)
  if (told.kind === 'not_sent') {
    const isBusy = told.code === 'change_in_progress'
    return word('FAILED', isBusy ? told.reason : `Nothing was changed: ${label} did not take the call.`)
  }
  if (pollRef !== undefined) return word('UNKNOWN', `${label} took the order, and has not done it yet.`)
  return word('UNKNOWN', `${label} was asked, and gave no clear answer.`)
}
