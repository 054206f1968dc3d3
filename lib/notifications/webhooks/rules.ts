/** Most webhooks of a customer. */
export const MAX_WEBHOOKS = 10
export const NAME_MAX = 100
export const URL_MAX = 500

/** Time that the former secret stays valid after a rotation. */
export const OVERLAPS = ['now', '1h', '24h', '7d'] as const
export type Overlap = (typeof OVERLAPS)[number]
export const OVERLAP_HOURS: Record<Overlap, number> = { now: 0, '1h': 1, '24h': 24, '7d': 168 }
export const DEFAULT_OVERLAP: Overlap = '24h'

/** Status of a webhook: paused by an Admin, after three days of failures, or because its Admin lost access. */
export const STATUSES = ['ACTIVE', 'PAUSED', 'FAILING', 'ACCESS_LOST'] as const
export type WebhookStatus = (typeof STATUSES)[number]

/** State of a delivery. `WAITING`: not accepted by the receiver yet; `FAILED`: given up. */
export const DELIVERY_STATES = ['WAITING', 'ACCEPTED', 'FAILED'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Time of continuous failures after which a webhook is paused, in seconds. */
export const GIVE_UP_SECONDS = 3 * 86_400
/** Shortest and longest time between two attempts, in seconds. */
const [MIN_RETRY_SECONDS, MAX_RETRY_SECONDS] = [5, 4 * 3600]

/**
 * Returns the seconds until the next attempt: three quarters of the time since the first failure, so that the intervals
 * grow exponentially, from 5 seconds to 4 hours. Randomized by a tenth, so that failures of one moment do not return
 * at one moment.
 * @param random from 0 to 1
 */
export function retrySeconds(failingSeconds: number, random: number): number {
  const interval = Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, failingSeconds * 0.75))
  return interval * (0.9 + random * 0.2)
}

/** Returns whether an HTTP status means that the receiver has accepted the event. */
export function isAccepted(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300
}
