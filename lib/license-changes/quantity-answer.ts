import 'server-only'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Outcome } from '#lib/api/idempotency.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Asset } from '#lib/assets/contract.ts'
import { decideQuantity, type QuantityDecision } from '#lib/assets/rules.ts'
import { lastChange } from '#lib/assets/seat-history.ts'
import { etagOf, serializeAsset, versionOf } from '#lib/assets/serialize.ts'
import type { AssetRow, LicensedRow } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import type { Rejected } from '#lib/vendors/vendor.ts'
import type { Change } from './license-change.ts'

// What a PATCH answers, in words.

/** The asset as it is, with its version. */
export function replyOf(row: AssetRow): Outcome<Asset> {
  return { body: serializeAsset(row), version: versionOf(row) }
}

/** If-Match compares the seat version alone: assigned seats may have moved meanwhile (CONTRACT 4). */
export function isVersion(row: AssetRow, ifMatch: string | undefined): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true
  return ifMatch.split(',').some((tag) => tag.trim().startsWith(`"${versionOf(row)}.`))
}

/**
 * Also lets through a version that is still to come: a dry run told it, which read of the vendor's own change and kept
 * nothing. Whether it is the present one is asked again after the next read.
 */
export function mayBecomeVersion(row: AssetRow, ifMatch: string | undefined): boolean {
  if (isVersion(row, ifMatch)) return true
  const versions = ifMatch?.split(',').map((tag) => Number(/^\s*"(\d{1,15})\./.exec(tag)?.[1])) ?? []
  return versions.some((version) => version > row.seatVersion)
}

/** 412, with the present quantity, and who set it when. */
export async function mismatch(tx: Transaction, customerId: CustomerId, row: LicensedRow): Promise<Problem> {
  const last = await lastChange(tx, customerId, row.id)
  // Seats that are not what our last change made them were changed by the vendor.
  const ours = last?.toQuantity === row.seatsPurchased ? last : undefined
  const changedBy = ours ? whoMade(ours) : 'The vendor'
  const detail = `${changedBy} set this to ${row.seatsPurchased} since you read it.`
  const at: Record<string, number> = ours?.settledAt ? { changedAt: ours.settledAt.getTime() } : {}
  return new Problem('version_mismatch', detail, {
    members: { current: row.seatsPurchased, changedBy, ...at, etag: etagOf(row) },
  })
}

function whoMade({ actorKind, actorName }: Change): string {
  return actorKind === 'key' ? `API key ${actorName}` : actorName
}

/** The rule, asked with a row. */
export function decide(row: LicensedRow, quantity: number): QuantityDecision {
  const { status, isCommitmentPlan, commitmentEnd, seatsPurchased: purchased } = row
  return decideQuantity(
    { status, isCommitmentPlan, purchased, commitmentEnd: commitmentEnd?.getTime() },
    quantity,
  )
}

/** What our rule refuses. */
export function refusal(decision: Exclude<QuantityDecision, { allowed: true }>): Problem {
  if (decision.reason === 'not_active') {
    const detail = `The subscription is ${decision.status}; its quantity can change only while it is ACTIVE.`
    const members = { subscriptionStatus: decision.status }
    return new Problem('subscription_not_active', detail, { members })
  }
  const { current, minimum, until } = decision
  const end = until === undefined ? '' : ` before ${new Date(until).toISOString().slice(0, 10)}`
  const members = { current, minimum, ...(until === undefined ? {} : { commitmentEndTime: until }) }
  const detail = `This commitment plan can not go below ${minimum} licenses${end}.`
  return new Problem('decrease_not_allowed', detail, { members })
}

/** What the vendor refuses, with its reason. */
export function vendorRefusal({ code, reason }: Pick<Rejected, 'code' | 'reason'>): Problem {
  return new Problem(code, reason)
}

/** 503: nothing was sent, or surely nothing done. */
export function vendorUnavailable(label: string, seconds = 5): Problem {
  const detail = `${label} can not be reached for the moment. Nothing was changed.`
  return new Problem('vendor_unavailable', detail, { headers: { 'Retry-After': String(seconds) } })
}

/** 409: another change of the asset is under way, here or at the vendor. */
export function changeInProgress(detail?: string, seconds = 2): Problem {
  return new Problem('change_in_progress', detail, { headers: { 'Retry-After': String(seconds) } })
}

/** 409, with who asked for what: that change is open still. */
export function otherChange(open: Change): Problem {
  const { id: changeId, toQuantity: to, createdAt } = open
  const changedBy = whoMade(open)
  const detail = `${changedBy} asked for ${to} licenses, and the vendor has not confirmed it yet.`
  return new Problem('change_in_progress', detail, {
    headers: { 'Retry-After': '2' },
    members: { changeId, to, changedBy, changedAt: createdAt.getTime() },
  })
}

/** 409: the vendor shows another total than it confirmed a moment ago. Which one is old, only time can tell. */
export function disputed(label: string): Problem {
  const detail = `${label} shows another total than it confirmed a moment ago. Nothing was changed; try again in a minute.`
  return changeInProgress(detail, 60)
}

/** 504: sent, and the outcome is not known yet. */
export function outcomeUnknown(label: string, changeId: string, seconds = 5): Problem {
  const detail = `${label} has not confirmed the change yet. It is looked up again; asking for the same total is safe.`
  return new Problem('outcome_unknown', detail, {
    headers: { 'Retry-After': String(seconds) },
    members: { changeId },
  })
}
