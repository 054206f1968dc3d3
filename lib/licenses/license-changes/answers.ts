import 'server-only'
import { etagOf } from '#lib/licenses/assets/serialize.ts'
import { type AssetRow, licensed } from '#lib/licenses/assets/store.ts'
import { nextTermLink } from '#lib/licenses/renewal-orders/terms.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import type { Rejected, Why, WriteAnswer } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import type { ForbiddenDecrease, Violation } from './rules.ts'
import { type Change, lastChange } from './store/changes.ts'

// What a PATCH answers, in words, where it is not the asset itself.

type NotSent = Extract<WriteAnswer, { kind: 'not_sent' }>

/** What our checks refuse: 422 `quantity_not_supported`, 412, or 409. */
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
  const detail = `This commitment plan can not go below ${minimum} licenses${end}.`
  return new Problem('decrease_not_allowed', detail, { members })
}

/** 412, with the present quantity, and who set it when: by the `last` change to that quantity. */
function versionMismatch(row: AssetRow, current: number, last: Change | undefined): Problem {
  // Seats that no change set are the vendor's doing, or in books of our own the operator's, who imports them.
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

/** What the vendor refuses, with its reason: 422, or 409 where it says that the subscription is not active. */
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
 * 503: nothing was sent, or surely nothing done. Our access is the reseller's matter, so the response contains no
 * detail of it.
 */
export function vendorUnavailable(label: string, seconds = 5, why?: Why): Problem {
  const details = {
    throttled: `${label} asks us to wait. Nothing was changed.`,
    no_access: `We have no access to ${label} at the moment, which your reseller can restore. Nothing was changed.`,
    not_answering: `${label} can not be reached for the moment. Nothing was changed.`,
  }
  const because = why ?? 'not_answering'
  const headers = { 'Retry-After': String(seconds) }
  return new Problem('vendor_unavailable', details[because], { headers, members: { because } })
}

/** 503: the vendor was read a moment ago without a result: the read is under way, or failed. */
export function noResponseYet(label: string, seconds: number): Problem {
  const detail = `${label} was asked a moment ago, and has told nothing yet.`
  const headers = { 'Retry-After': String(seconds) }
  return new Problem('vendor_unavailable', detail, { headers, members: { because: 'not_answering' } })
}

/** 409: another change of the asset is under way, here or at the vendor. */
export function changeInProgress(detail?: string, seconds = 2): Problem {
  return new Problem('change_in_progress', detail, { headers: { 'Retry-After': String(seconds) } })
}

/** What the vendor surely did not do: 409 where something else is pending there, else 503. */
export function notSent({ code, reason, retryAfter, why }: NotSent, label: string): Problem {
  return code === 'change_in_progress'
    ? changeInProgress(reason, retryAfter)
    : vendorUnavailable(label, retryAfter, why)
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

/**
 * 409: the vendor shows another total than it confirmed a moment ago. Only a later read can show which total is stale.
 */
export function disputed(label: string): Problem {
  const detail = `${label} shows another total than it confirmed a moment ago. Nothing was changed; try again in a minute.`
  return changeInProgress(detail, 60)
}

/**
 * 409: the vendor has no subscription under the id that we knew, and the one that it has in its place shows another total
 * than whoever asked can have known.
 */
export function subscriptionReplaced(label: string, total: number): Problem {
  const detail = `${label} shows another subscription in place of this one, with ${total} licenses. Nothing was changed; look at it, and ask again.`
  return changeInProgress(detail)
}

/** 504, until a person settles it: its time is over, and no read can prove what became of it. */
export function outcomeUnclear({ id: changeId, vendorReason }: Change, label: string): Problem {
  const detail = vendorReason ?? `We can’t tell whether the change reached ${label}.`
  return new Problem('outcome_unknown', detail, { headers: { 'Retry-After': '3600' }, members: { changeId } })
}

/** 504: sent, and the vendor has not said yet what became of it. */
export function outcomeUnknown(label: string, changeId: string, seconds = 5): Problem {
  const detail = `${label} has not confirmed the change yet. It is looked up again; asking for the same total is safe.`
  return new Problem('outcome_unknown', detail, {
    headers: { 'Retry-After': String(seconds) },
    members: { changeId },
  })
}
