import { decideQuantity, type QuantityDecision, type QuantityState } from '#lib/licenses/assets/rules.ts'
import type { EventKind } from '#lib/platform/outbox/rules.ts'

/**
 * The states of a change of licenses. CLAIMED: nothing was sent. SENT: a call to the vendor may be under way.
 * UNKNOWN: it was sent, and only a read can tell. APPLIED, REJECTED (by the vendor), FAILED (not applied): settled.
 * UNCLEAR: no read can tell any more; settled for the asset, which is free again, and open for people.
 * DRIFT: the vendor's own change, which we found. RECORDED: what an operator's file said, which asked no vendor.
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

/** Whether it is still to come what becomes of a change. States that we do not know count as settled. */
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

/** Whether the vendor itself has confirmed a change to us: not so what we found, or a person settled. */
export function isConfirmed(change: {
  state: string
  sentAt: Date | null
  settledBy: string | null
}): boolean {
  return change.state === 'APPLIED' && change.sentAt !== null && change.settledBy === null
}

/** What a PATCH asks for. */
export type ChangeRequest = {
  /** The total after the change, a whole number from 0 to MAX_QUANTITY. */
  quantity: number
  /** Header If-Match: the accepted versions of the asset. */
  ifMatch: string | undefined
}

/** The asset as it is known when the checks are asked; without `facts` it is of a type that has no licenses. */
type AssetState<State = QuantityState> = { seatVersion: number; quantityState: State | undefined }

/** A decrease on a commitment within its term. */
export type ForbiddenDecrease = { kind: 'refused' } & Extract<QuantityDecision, { reason: 'commitment' }>

/** What our own checks refuse. The reasons `not_active` and `commitment` are those of `decideQuantity`. */
export type Violation =
  | ForbiddenDecrease
  | ({ kind: 'refused' } & (
      | { reason: 'no_licenses' }
      | { reason: 'version_mismatch'; current: number }
      | Extract<QuantityDecision, { reason: 'not_active' }>
    ))

/** The vendor's books are to be read; with a `refusal` where our copy of them forbids it, which is final if the copy is fresh. */
type Unread = { kind: 'unread'; refusal: ForbiddenDecrease | undefined }

/**
 * The checks of CONTRACT 4 in their order, for our own books, for a vendor's, and for the dry run: the one place that
 * knows it. Only that there is such an asset (404) was asked before.
 *
 * A vendor elsewhere decides by its own books, so that it is asked twice: first with our copy of them and with the
 * change that is `open` there (of the same total: `joined`), until the books have to be read (`unread`); then without
 * one, for the open change is now the request's own, and with what the vendor can `foresee` by books just read.
 * Where the books are ours, they are always just read, and no change is ever open.
 */
export function check<Open extends { toQuantity: number }>(
  request: ChangeRequest,
  assetState: AssetState & { open: Open | undefined },
): Violation | { kind: 'joined' | 'in_progress'; open: Open } | Unread
export function check<State extends QuantityState, Prediction extends { kind: 'applied' | 'rejected' }>(
  request: ChangeRequest,
  assetState: AssetState<State> & { predictOutcome: (quantityState: State) => Prediction },
): Violation | { kind: 'unchanged' } | Prediction
export function check<
  Open extends { toQuantity: number },
  State extends QuantityState,
  Prediction extends { kind: 'applied' | 'rejected' },
>(
  request: ChangeRequest,
  assetState: AssetState<State> &
    ({ open: Open | undefined } | { predictOutcome: (quantityState: State) => Prediction }),
): Violation | { kind: 'joined' | 'in_progress'; open: Open } | { kind: 'unchanged' } | Unread | Prediction
export function check(
  { quantity, ifMatch }: ChangeRequest,
  {
    seatVersion,
    quantityState,
    open,
    predictOutcome,
  }: AssetState & {
    open?: { toQuantity: number } | undefined
    predictOutcome?: (quantityState: QuantityState) => { kind: string }
  },
) {
  if (!quantityState) return { kind: 'refused', reason: 'no_licenses' }
  const isFit = predictOutcome ? isVersion : mayBecomeVersion
  if (!isFit(seatVersion, ifMatch)) {
    return { kind: 'refused', reason: 'version_mismatch', current: quantityState.purchased }
  }
  if (open) return { kind: open.toQuantity === quantity ? 'joined' : 'in_progress', open }
  const decision = decideQuantity(quantityState, quantity)
  if (!predictOutcome) {
    // A commitment lasts, but a status may change at any moment; and of a version that is still to come our copy says nothing.
    const isForbidden = !decision.allowed && decision.reason === 'commitment'
    const isKnown = isForbidden && isVersion(seatVersion, ifMatch)
    return { kind: 'unread', refusal: isKnown ? { kind: 'refused', ...decision } : undefined }
  }
  if (!decision.allowed) return { kind: 'refused', ...decision }
  return decision.change === 0 ? { kind: 'unchanged' } : predictOutcome(quantityState)
}

/** If-Match compares the seat version alone: assigned seats may have moved meanwhile (CONTRACT 4). */
function isVersion(seatVersion: number, ifMatch: string | undefined): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true
  return ifMatch.split(',').some((tag) => tag.trim().startsWith(`"${seatVersion}.`))
}

/**
 * Also lets through a version that is still to come: a dry run told it, which read of the vendor's own change and kept
 * nothing. Whether it is the present one is asked again after the next read.
 */
function mayBecomeVersion(seatVersion: number, ifMatch: string | undefined): boolean {
  if (isVersion(seatVersion, ifMatch)) return true
  const versions = ifMatch?.split(',').map((tag) => Number(/^\s*"(\d{1,15})\./.exec(tag)?.[1])) ?? []
  return versions.some((version) => version > seatVersion)
}
