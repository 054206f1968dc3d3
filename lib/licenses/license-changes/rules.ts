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

/**
 * Whether nothing more is to be waited for or told of a change to whoever asked for it: it was surely not applied, or
 * nobody can tell, and the customer has checked that. Asked for again, its total is decided on a fresh read.
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
