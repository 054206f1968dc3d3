import 'server-only'
import { randomUUID } from 'node:crypto'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { hasAccount } from '#lib/vendors/accounts/accounts.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import type { QuantityRequest } from '../request.ts'
import { isOpen } from '../rules.ts'
import { readChange } from '../store/find.ts'
import type { Change } from '../store/transitions.ts'
import { sendAgain, type Unfit } from './again.ts'

/**
 * Sends a change again by the operator's wish, under its id and by the same checks as when the customer asks for the
 * same total again. What it came to by itself meanwhile is no failure.
 * @param reason why, in words for people: it stands in the history
 * @returns the change after it, and whether it was sent again
 * @throws Problem that says plainly why nothing was sent
 */
export async function resendByHand(
  operator: Caller,
  changeId: string,
  reason: string,
): Promise<{ change: Change; sent: boolean }> {
  const { customerId } = operator
  const read = () => readScope(operator, (tx) => readChange(tx, customerId, changeId))
  const { assetId, toQuantity: quantity, label } = await repeatable(operator, changeId)
  const requestId = randomUUID()
  const request: QuantityRequest = {
    caller: operator,
    assetId,
    quantity,
    ifMatch: undefined,
    keyed: undefined,
    requestId,
  }
  const again = await sendAgain(request, changeId, reason)
  const change = await read()
  if (!change) throw new Problem('not_found', `There is no change ${changeId}.`)
  if (again.why !== undefined && isOpen(change.state))
    throw new Problem('change_in_progress', `Nothing was sent: ${WHY[again.why](label)}`)
  return { change, sent: again.why === undefined }
}

const WHY: Record<Unfit, (label: string) => string> = {
  not_unknown: () => 'a process is at work on it.',
  no_turn: () => 'others ask for it all the time. Try again in a moment.',
  unread: (label) => `${label} does not show us the subscription, and it is read before.`,
  moved: () => 'somebody has changed the total there since, so that what was decided on is gone.',
  ordered: (label) => `${label} took the order, and has not done it yet.`,
  under_way: () => 'the call before may be under way still. Try again in a moment.',
  forgotten: (label) => `its time is over: ${label} may not know it for the same change any more.`,
  refused: () => 'by what the vendor shows now, our own checks do not allow it any more.',
}

/** The change, where its answer may be lost, and its vendor takes repeats. */
async function repeatable(operator: Caller, changeId: string): Promise<Change & { label: string }> {
  const { customerId } = operator
  return scope(operator, async (tx) => {
    const change = await readChange(tx, customerId, changeId)
    if (!change) throw new Problem('not_found', `There is no change ${changeId}.`)
    const asset = await lockLicensed(tx, customerId, change.assetId)
    const vendor = vendorOf(asset)
    const refuse = (why: string) => new Problem('change_in_progress', `Nothing was sent: ${why}`)
    if (vendor.books === 'theirs' && !hasAccount(asset.vendor, asset.vendorAccount))
      throw refuse(`${vendor.label} is not set up here.`)
    if (vendor.books === 'ours' || vendor.idempotentWrites === undefined)
      throw refuse(`${vendor.label} takes no repeats: a second call could be a second change.`)
    if (change.state === 'UNCLEAR')
      throw refuse(
        'it is UNCLEAR, and its asset is free. Set the total anew where it differs, and settle this one.',
      )
    if (change.state !== 'UNKNOWN' && change.state !== 'SENT')
      throw refuse(`it is ${change.state}, and only what is UNKNOWN is sent again.`)
    return { ...change, label: vendor.label }
  })
}
