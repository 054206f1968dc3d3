import 'server-only'
import { etagOf } from '#lib/licenses/assets/serialize.ts'
import { type AssetRow, licensed } from '#lib/licenses/assets/store.ts'
import { nextTermLink } from '#lib/licenses/renewal-orders/terms.ts'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import type { Rejected, Why, WriteAnswer } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import type { ForbiddenDecrease, Violation } from './rules.ts'
import { type Change, lastChange } from './store/changes.ts'

// Problems of a PATCH, with their texts for people.

type NotSent = Extract<WriteAnswer, { kind: 'not_sent' }>

/** Returns the problem of a violation of our checks: 422 `quantity_not_supported`, 412, or 409. */
export async function violationProblem(
  tx: Transaction,
  customerId: CustomerId,
  row: AssetRow,
  violation: Violation,
): Promise<Problem> {
  if (violation.reason === 'no_licenses') {
    return new Problem('quantity_not_supported', `Assets of type ${row.type} have no licenses.`)
  }
  if (violation.reason === 'version_mismatch') {
    return versionMismatch(
      row,
      violation.current,
      await lastChange(tx, customerId, row.id, violation.current),
    )
  }
  if (violation.reason === 'not_active') {
    const detail = `The subscription is ${violation.status}; its quantity can change only while it is ACTIVE.`
    const members = { subscriptionStatus: violation.status }
    return new Problem('subscription_not_active', detail, { members })
  }
  return decreaseNotAllowed(row, violation)
}

/** 409, with the lowest total that is allowed, the commitment's end where it is known, and how to order fewer for the next term. */
export function decreaseNotAllowed(row: AssetRow, { current, minimum, until }: ForbiddenDecrease): Problem {
  const end = until === undefined ? '' : ` before ${new Date(until).toISOString().slice(0, 10)}`
  const renewal = nextTermLink(licensed(row))
  const members = {
    current,
    minimum,
    ...(until === undefined ? {} : { commitmentEndTime: until }),
    ...(renewal ? { renewal } : {}),
  }
  const detail = `This commitment plan cannot go below ${minimum} licenses${end}.`
  return new Problem('decrease_not_allowed', detail, { members })
}

/** Returns a 412 with the current quantity, and with the author and time of the `last` change to that quantity. */
function versionMismatch(row: AssetRow, current: number, last: Change | undefined): Problem {
  // Seats without a change row were set by the vendor, or for a local record by the operator's import.
  const others = vendorOf(row).systemOfRecord === 'ours' ? OPERATOR.name : 'The vendor'
  const changedBy = last ? whoMade(last) : others
  const detail = `${changedBy} set this to ${current} since you read it.`
  const at: Record<string, number> = last?.settledAt ? { changedAt: last.settledAt.getTime() } : {}
  return new Problem('version_mismatch', detail, {
    members: { current, changedBy, ...at, etag: etagOf(row) },
  })
}

function whoMade({ actorKind, actorName }: Change): string {
  return actorKind === 'key' ? `API key ${actorName}` : actorName
}

/** Returns the problem of a rejection by the vendor: 422, or 409 if the vendor reports an inactive subscription. */
export function rejected({ code, reason }: Pick<Rejected, 'code' | 'reason'>): Problem {
  return new Problem(code, reason)
}

/**
 * Predicts a rejection by the vendor, whose request is not sent: the same problems, which state that no request was
 * sent.
 */
export function predictedRejection({ code, reason }: Pick<Rejected, 'code' | 'reason'>): Problem {
  return code === 'vendor_rejected'
    ? new Problem(code, reason, { members: { foreseen: true } })
    : new Problem(code, reason)
}

/**
 * Returns a 503: nothing was sent, or certainly nothing was applied. The response contains no details of our access to
 * the vendor, which only the reseller can restore.
 */
export function vendorUnavailable(label: string, seconds = 5, why?: Why): Problem {
  const details = {
    throttled: `${label} asks us to wait. Nothing was changed.`,
    no_access: `We have no access to ${label} at the moment, which your reseller can restore. Nothing was changed.`,
    not_answering: `${label} cannot be reached for the moment. Nothing was changed.`,
  }
  const because = why ?? 'not_answering'
  const headers = { 'Retry-After': String(seconds) }
  return new Problem('vendor_unavailable', details[because], { headers, members: { because } })
}

/** Returns a 503: the vendor was read a moment ago without a result, because that read is still running or failed. */
export function noResponseYet(label: string, seconds: number): Problem {
  const detail = `${label} was asked a moment ago, and has told nothing yet.`
  const headers = { 'Retry-After': String(seconds) }
  return new Problem('vendor_unavailable', detail, { headers, members: { because: 'not_answering' } })
}

/** Returns a 409: another change of the asset is in progress, here or at the vendor. */
export function changeInProgress(detail?: string, seconds = 2): Problem {
  return new Problem('change_in_progress', detail, { headers: { 'Retry-After': String(seconds) } })
}

/** Throws a 409 where another change holds the asset's lock for too long; any other error as it is. */
export function throwLockProblem(error: unknown): never {
  // lock_not_available: another change holds the row's lock for longer than the lock timeout. unique_violation: the
  // subscription has a new id, which another asset has taken at this very moment
  if (!['55P03', '23505'].includes(errorCode(error) ?? '')) throw error
  throw changeInProgress(undefined, 1)
}

/**
 * Returns the problem of a call that was certainly not applied: 409 if another change is pending at the vendor,
 * otherwise 503.
 */
export function notSent({ code, reason, retryAfter, why }: NotSent, label: string): Problem {
  return code === 'change_in_progress'
    ? changeInProgress(reason, retryAfter)
    : vendorUnavailable(label, retryAfter, why)
}

/** Returns a 409 with the open change and its requester. */
export function otherChange(open: Change): Problem {
  const { id: changeId, toQuantity: to, createdAt } = open
  const changedBy = whoMade(open)
  const detail = `${changedBy} asked for ${to} licenses, and the vendor has not confirmed it yet.`
  return new Problem('change_in_progress', detail, {
    headers: { 'Retry-After': '2' },
    members: { changeId, to, changedBy, changedAt: createdAt.getTime() },
  })
}

/**
 * Returns a 409: the vendor shows a different total from the one that it confirmed a moment ago. Only a later read can
 * show which total is stale.
 */
export function disputed(label: string): Problem {
  const detail = `${label} shows another total than it confirmed a moment ago. Nothing was changed; try again in a minute.`
  return changeInProgress(detail, 60)
}

/**
 * Returns a 409: the vendor has replaced the subscription with another one, whose total differs from the total that the
 * requester knew.
 */
export function subscriptionReplaced(label: string, total: number): Problem {
  const detail = `${label} shows another subscription in place of this one, with ${total} licenses. Nothing was changed; look at it, and ask again.`
  return changeInProgress(detail)
}

/** Returns a 504: the settle time is over, and no read can show the outcome. An operator has to settle the change. */
export function outcomeUnclear({ id: changeId, vendorReason }: Change, label: string): Problem {
  const detail = vendorReason ?? `We can’t tell whether the change reached ${label}.`
  return new Problem('outcome_unknown', detail, { headers: { 'Retry-After': '3600' }, members: { changeId } })
}

/** Returns a 504: the change was sent, and the vendor has not confirmed the outcome yet. */
export function outcomeUnknown(label: string, changeId: string, seconds = 5): Problem {
  const detail = `${label} has not confirmed the change yet. It is looked up again; asking for the same total is safe.`
  return new Problem('outcome_unknown', detail, {
    headers: { 'Retry-After': String(seconds) },
    members: { changeId },
  })
}
