import type { Notice } from '#lib/notifications/notices/rules.ts'

/**
 * State of an address for a billing profile. `pending`: asked to confirm. `expired`: not confirmed in time. `declined`:
 * its owner refused. `stopped`: its owner unsubscribed from all of its notices. `refused`: the mail server rejected it
 * permanently (a bounce).
 */
export const RECIPIENT_STATES = ['pending', 'expired', 'declined', 'active', 'stopped', 'refused'] as const
export type RecipientState = (typeof RECIPIENT_STATES)[number]

export const RECIPIENT_STATE_NAMES: Record<RecipientState, string> = {
  pending: 'Waiting for confirmation',
  expired: 'Not confirmed',
  declined: 'Declined',
  active: 'Active',
  stopped: 'Unsubscribed',
  refused: 'Bounced',
}

/** Lifetime of a confirmation link, in days. */
export const CONFIRMATION_DAYS = 7
/** Most addresses of a billing profile, and most requests for a confirmation within 24 hours. */
export const MAX_RECIPIENTS = 50
export const MAX_REQUESTS_OF_PROFILE = 20
export const MAX_REQUESTS_OF_ADDRESS = 5

/** Stored values of an address and a billing profile. */
export type StoredState = {
  notices: readonly Notice[]
  /** Notices that the address has stopped. */
  stopped: readonly string[]
  /** Whether the mail server rejects the address. */
  isRejected: boolean
  isSubscribed: boolean
  /** Latest request, unless it was confirmed or withdrawn; `refused`: its mail was not taken. */
  request: 'open' | 'refused' | 'expired' | 'declined' | null
}

/** Returns the state of an address. An open request outranks the subscription that it renews. */
export function stateOf({
  notices,
  stopped,
  isRejected,
  isSubscribed,
  request,
}: StoredState): RecipientState {
  if (request === 'open') return 'pending'
  if (isRejected || request === 'refused') return 'refused'
  if (!isSubscribed) return request ?? 'expired'
  return notices.every((notice) => stopped.includes(notice)) ? 'stopped' : 'active'
}

/** Returns whether an address has to confirm before it gets notices. */
export function needsConfirmation(state: RecipientState): boolean {
  return state !== 'active'
}
