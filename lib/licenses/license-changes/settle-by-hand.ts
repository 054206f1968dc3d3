import 'server-only'
import { randomUUID } from 'node:crypto'
import type { DueChange } from '#lib/identity/access/due-work.ts'
import { lockLicensed, readAsset } from '#lib/licenses/assets/store.ts'
import { findSubscriptionLocation, type SubscriptionLocation } from '#lib/licenses/vendor-subscriptions.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { licenseScope, readScope } from '#lib/platform/db/scope.ts'
import { auditOf, OPERATOR } from '#lib/platform/history/audit.ts'
import { hasAccount } from '#lib/vendors/accounts.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { evidentAfterMs, vendorTimes } from '#lib/vendors/settings.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { isOpen } from './rules.ts'
import type { QuantityRequest } from './send.ts'
import { sendAgain, type Unfit } from './send-again.ts'
import { attemptsOf, type Change, moveChange, readChange } from './store/changes.ts'
import { readNow } from './vendor-sync/read.ts'

/** Open or unclear change. `isOverdue`: an operator should look at the change. */
export type UnresolvedChange = {
  customerId: CustomerId
  change: Change
  vendor: GuardedVendor
  /** Location of the subscription in the vendor's own console. */
  location: SubscriptionLocation | undefined
  /** Milliseconds since the request. */
  age: number
  isOverdue: boolean
  isOpen: boolean
  /** Whether an operator may still resend the change, as far as known without a read. */
  isRepeatable: boolean
}

/**
 * Returns a change that waits for its vendor or for a person; undefined for a settled change. Overdue are unclear
 * changes without an acknowledgment, and changes open for longer than their vendor's settle time.
 */
export async function readUnresolved({
  customerId,
  changeId,
}: DueChange): Promise<UnresolvedChange | undefined> {
  return readScope({ customerId }, async (tx) => {
    const change = await readChange(tx, customerId, changeId)
    if (!change || !(isOpen(change.state) || change.state === 'UNCLEAR')) return undefined
    const row = await readAsset(tx, customerId, change.assetId)
    const vendor = row && vendorOf(row)
    if (vendor?.systemOfRecord !== 'theirs') return undefined
    const vendorSubscriptionId = change.vendorSubscriptionId
    const location =
      vendorSubscriptionId === null
        ? undefined
        : await findSubscriptionLocation(tx, customerId, vendorSubscriptionId)
    const age = Date.now() - change.createdAt.getTime()
    const isDelayed = age > Math.max(evidentAfterMs(vendor), vendorTimes().leaseMs)
    const isRepeatable = change.state === 'UNKNOWN' && change.sinceSent < (vendor.idempotentWrites ?? 0)
    const isUnclear = change.state === 'UNCLEAR'
    // A change that the customer has acknowledged needs no operator.
    const isOverdue = isUnclear ? change.acknowledgedAt === null : isDelayed
    return {
      customerId,
      change,
      vendor,
      location,
      age,
      isOverdue,
      isOpen: isOpen(change.state),
      isRepeatable,
    }
  })
}

/** Returns a change with all that is recorded of it; undefined for an unknown change. */
export function readRecord(customerId: CustomerId, changeId: string) {
  return readScope({ customerId }, async (tx) => {
    const change = await readChange(tx, customerId, changeId)
    if (!change) return undefined
    const subscriptionId = change.vendorSubscriptionId
    return {
      change,
      location:
        subscriptionId === null ? undefined : await findSubscriptionLocation(tx, customerId, subscriptionId),
      attempts: await attemptsOf(tx, customerId, changeId),
      events: await auditOf(tx, customerId, changeId),
    }
  })
}

/**
 * Settles a change by an operator's decision: an unclear change, or a change that is unknown although a read would show
 * it by now. The asset keeps its seats; an immediate read of the vendor updates them.
 * @param reason for people, recorded in the history
 * @throws Problem where the change is settled, or may still settle by itself
 */
export async function resolveByHand(
  customerId: CustomerId,
  changeId: string,
  { as, reason }: { as: 'APPLIED' | 'FAILED'; reason: string },
): Promise<Change> {
  const requestId = randomUUID()
  const resolved = await licenseScope({ customerId }, async (tx) => {
    const unlocked = await readChange(tx, customerId, changeId)
    if (!unlocked) throw new Problem('not_found', `There is no change ${changeId}.`)
    const vendor = vendorOf(await lockLicensed(tx, customerId, unlocked.assetId))
    const change = (await readChange(tx, customerId, changeId)) ?? unlocked
    const evidentMs = vendor.systemOfRecord === 'theirs' ? evidentAfterMs(vendor) : 0
    if (change.state === 'UNKNOWN' && change.age <= evidentMs) {
      const at = new Date(Date.now() + evidentMs - change.age).toISOString().slice(0, 16).replace('T', ' ')
      throw new Problem(
        'change_in_progress',
        `${vendor.label} may still do it until ${at} UTC. Settle it then.`,
      )
    }
    const moved = await moveChange(tx, customerId, changeId, {
      from: ['UNKNOWN', 'UNCLEAR'],
      to: as,
      vendorReason: `Settled by hand: ${reason}`,
      settledBy: OPERATOR.id,
      actor: OPERATOR,
      requestId,
    })
    if (!moved)
      throw new Problem(
        'change_in_progress',
        `The change ${changeId} is ${change.state}: there is nothing to settle.`,
      )
    return moved
  })
  await readNow(customerId, [resolved.assetId], requestId)
  return resolved
}

/**
 * Resends a change for an operator, under its id and with the checks of a repeated request by the customer. A change
 * that settles by itself in the meantime is no failure.
 * @param reason for people, recorded in the history
 * @returns the change afterwards, and whether it was sent again
 * @throws Problem with the plain reason why nothing was sent
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
  moved: () => 'someone has changed the total there since, so the decision no longer applies.',
  ordered: (label) => `${label} took the order, and has not done it yet.`,
  under_way: () => 'the call before may be under way still. Try again in a moment.',
  forgotten: (label) => `its time is over: ${label} may not know it for the same change any more.`,
  refused: () => 'by what the vendor shows now, our own checks do not allow it any more.',
}

/** Returns the change, where its answer may be lost, and its vendor's writes are idempotent. */
async function repeatable(operator: Caller, changeId: string): Promise<Change & { label: string }> {
  const { customerId } = operator
  return licenseScope(operator, async (tx) => {
    const change = await readChange(tx, customerId, changeId)
    if (!change) throw new Problem('not_found', `There is no change ${changeId}.`)
    const asset = await lockLicensed(tx, customerId, change.assetId)
    const vendor = vendorOf(asset)
    const toProblem = (why: string) => new Problem('change_in_progress', `Nothing was sent: ${why}`)
    if (vendor.systemOfRecord === 'theirs' && !hasAccount(asset.vendor, asset.vendorAccount))
      throw toProblem(`${vendor.label} is not set up here.`)
    if (vendor.systemOfRecord === 'ours' || vendor.idempotentWrites === undefined)
      throw toProblem(`${vendor.label} takes no repeats: a second call could be a second change.`)
    if (change.state === 'UNCLEAR')
      throw toProblem(
        'it is UNCLEAR, and its asset is free. Set the total anew where it differs, and settle this one.',
      )
    if (change.state !== 'UNKNOWN' && change.state !== 'SENT')
      throw toProblem(`it is ${change.state}, and only what is UNKNOWN is sent again.`)
    return { ...change, label: vendor.label }
  })
}
