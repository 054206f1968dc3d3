import {
  decideQuantity,
  type QuantityDecision,
  type QuantityState,
} from '#lib/licenses/assets/quantity-rule.ts'
import type { EventKind } from '#lib/platform/outbox/rules.ts'

/**
 * States of an open license change. CLAIMED: nothing was sent. SENT: a call to the vendor may be in flight. UNKNOWN: the
 * call was sent, and only a read of the vendor can show the outcome.
 *
 * Final states: APPLIED, REJECTED (by the vendor), and FAILED (not applied). UNCLEAR: no read can show the outcome any
 * more; the asset accepts other changes again, and a person has to decide. DRIFT: a change made at the vendor, which a
 * read found. RECORDED: a total from an operator's file, which was not sent to a vendor.
 */
export const OPEN_STATES = ['CLAIMED', 'SENT', 'UNKNOWN'] as const
export const CHANGE_STATES = [
  ...OPEN_STATES,
  'APPLIED',
  'REJECTED',
  'FAILED',
  'UNCLEAR',
  'DRIFT',
  'RECORDED',
] as const
export type ChangeState = (typeof CHANGE_STATES)[number]

/** Returns whether the outcome of a change is still to come. Unrecognized states count as final. */
export function isOpen(state: string): boolean {
  return (OPEN_STATES as readonly string[]).includes(state)
}

/** Returns the kind of event for webhooks of a change that got this state; undefined until it is settled. */
export function eventKindOf(state: string): EventKind | undefined {
  if (isOpen(state) || state === 'UNCLEAR') return undefined
  return state === 'DRIFT' ? 'asset.changed_by_vendor' : 'license_change.completed'
}

/**
 * Returns whether a change is over for its requester: it was surely not applied, or its outcome is unknown for good and
 * the customer has acknowledged that. A repeated request is decided on a fresh read.
 */
export function isOver(change: { state: string; acknowledgedAt: Date | null }): boolean {
  return change.state === 'FAILED' || (change.state === 'UNCLEAR' && change.acknowledgedAt !== null)
}

/** Returns whether the vendor has confirmed a change that we sent: neither found by a read nor settled by a person. */
export function isConfirmed(change: {
  state: string
  sentAt: Date | null
  settledBy: string | null
}): boolean {
  return change.state === 'APPLIED' && change.sentAt !== null && change.settledBy === null
}

/** Requested total and precondition of a PATCH. */
export type ChangeRequest = {
  /** The total after the change, a whole number from 0 to MAX_QUANTITY. */
  quantity: number
  /** Header If-Match: the accepted versions of the asset. */
  ifMatch: string | undefined
}

/** Asset at the time of the checks; `quantityState` is undefined for asset types without licenses. */
type AssetState<State = QuantityState> = { seatVersion: number; quantityState: State | undefined }

/** A decrease on a commitment within its term. */
export type ForbiddenDecrease = { kind: 'refused' } & Extract<QuantityDecision, { reason: 'commitment' }>

/** Rejection by our own checks. `decideQuantity` returns the reasons `not_active` and `commitment`. */
export type Violation =
  | ForbiddenDecrease
  | ({ kind: 'refused' } & (
      | { reason: 'no_licenses' }
      | { reason: 'version_mismatch'; current: number }
      | Extract<QuantityDecision, { reason: 'not_active' }>
    ))

/** The vendor has to be read first. `violation`: our copy forbids the change, which is final if the copy is fresh. */
type Unread = { kind: 'unread'; violation: ForbiddenDecrease | undefined }

/**
 * Runs the checks with our copy of a vendor's record, before the vendor is read. The order of all checks of a PATCH is:
 * the asset exists (404), it has licenses (422), If-Match (412), no other change is open (409), and then on a fresh read
 * the subscription is active (409), the total differs (or else 200), a commitment allows it (409), and the vendor's rule.
 * A change that is `open` with the same total is `joined`.
 *
 * A commitment outlasts our copy, so the copy may forbid a decrease; a status may change at any moment, so the copy
 * does not decide on it. Nor does the copy decide when If-Match names a later version.
 */
export function checkBeforeRead<Open extends { toQuantity: number }>(
  { quantity, ifMatch }: ChangeRequest,
  { seatVersion, quantityState, open }: AssetState & { open: Open | undefined },
): Violation | { kind: 'joined' | 'in_progress'; open: Open } | Unread {
  if (!quantityState) return { kind: 'refused', reason: 'no_licenses' }
  if (!mayBecomeVersion(seatVersion, ifMatch)) return versionMismatch(quantityState)
  if (open) return { kind: open.toQuantity === quantity ? 'joined' : 'in_progress', open }
  const decision = decideQuantity(quantityState, quantity)
  const isForbidden = !decision.allowed && decision.reason === 'commitment' && isVersion(seatVersion, ifMatch)
  return { kind: 'unread', violation: isForbidden ? { kind: 'refused', ...decision } : undefined }
}

/**
 * Runs the checks with the current record: the one of a vendor that was read just now, or our own. Checks in this
 * order: the asset has licenses, If-Match, our quantity rule, and the vendor's rule. No other change is open then: our
 * own record has none, and the open change at a vendor is the request's own claim. So no race takes a commitment below
 * its count within its term.
 * @param predictOutcome applies the vendor's rule; called only for a change that passes all other checks
 */
export function checkAfterRead<
  State extends QuantityState,
  Prediction extends { kind: 'applied' | 'rejected' },
>(
  { quantity, ifMatch }: ChangeRequest,
  { seatVersion, quantityState }: AssetState<State>,
  predictOutcome: (quantityState: State) => Prediction,
): Violation | { kind: 'unchanged' } | Prediction {
  if (!quantityState) return { kind: 'refused', reason: 'no_licenses' }
  if (!isVersion(seatVersion, ifMatch)) return versionMismatch(quantityState)
  const decision = decideQuantity(quantityState, quantity)
  if (!decision.allowed) return { kind: 'refused', ...decision }
  return decision.change === 0 ? { kind: 'unchanged' } : predictOutcome(quantityState)
}

function versionMismatch({ purchased }: QuantityState): Violation {
  return { kind: 'refused', reason: 'version_mismatch', current: purchased }
}

/** Returns whether If-Match admits the seat version. The rest of an ETag, such as the assigned seats, is not compared. */
function isVersion(seatVersion: number, ifMatch: string | undefined): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true
  return ifMatch.split(',').some((tag) => tag.trim().startsWith(`"${seatVersion}.`))
}

/**
 * Returns whether If-Match admits the seat version or names a later one. A dry run reads the vendor without storing the
 * result, so a client may know a version that our copy does not have yet; the check after the next read is exact.
 */
function mayBecomeVersion(seatVersion: number, ifMatch: string | undefined): boolean {
  if (isVersion(seatVersion, ifMatch)) return true
  const versions = ifMatch?.split(',').map((tag) => Number(/^\s*"(\d{1,15})\./.exec(tag)?.[1])) ?? []
  return versions.some((version) => version > seatVersion)
}
