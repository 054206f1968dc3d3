/** Kinds of events, each with its object and the ids in its data. */
export const EVENT_KINDS = [
  'license_change.completed',
  'renewal_order.completed',
  'asset.changed_by_vendor',
  'invoice.issued',
  'invoice.corrected',
  'invoice.past_due',
  'payment.recorded',
  'key.ending',
  'member.changed',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** Kind of the message that "Send a test" writes. Endpoints can't be limited to it. */
export const TEST_EVENT = 'webhook.test'

/** Event of one object of a customer. */
export type WebhookEvent = {
  kind: EventKind
  /** Key of the object whose events are delivered in order: `asset:…`, `invoice:…`, `key:…` or `member:…`. */
  object: `${'asset' | 'invoice' | 'key' | 'member'}:${string}`
  /** Billing profile of the event's invoice. Without one, each endpoint of the kind gets the event. */
  billingProfile?: string
  /** Ids for reading the rest with the API. */
  ids: Record<string, string>
}
