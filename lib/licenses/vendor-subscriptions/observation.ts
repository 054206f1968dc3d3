import 'server-only'
import { createHash } from 'node:crypto'
import type { Observed } from '#lib/vendors/vendor.ts'

/** Digest of all that a vendor told of a subscription and that an asset keeps: equal digests need no comparison. */
export function observationOf(observed: Observed): string {
  const { subscriptionId, status, planName, isCommitmentPlan, renewalType, seats, scheduled } = observed
  const times = [observed.commitmentStart, observed.commitmentEnd, scheduled?.at].map((time) =>
    time ? time.getTime() : null,
  )
  const told = [
    subscriptionId,
    status,
    planName,
    isCommitmentPlan,
    renewalType,
    seats.purchased,
    seats.maximum,
    seats.assigned ?? null,
    scheduled?.total ?? null,
    ...times,
  ]
  return createHash('sha256').update(JSON.stringify(told)).digest('base64url')
}
