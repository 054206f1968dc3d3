import 'server-only'

// The port to the upstream sellers of seats. One folder per vendor implements it.

/** Whole licenses. `maximum` is the cap; equal to `purchased` unless the vendor states one apart. */
export type VendorSeats = { purchased: number; maximum: number; assigned: number }

/** Seats as a vendor told them: where it didn't say how many are assigned, what was known of them stays. */
export type ObservedSeats = { purchased: number; maximum: number; assigned: number | undefined }

/** Where a vendor keeps a subscription. `subscriptionId` is a hint: it may have changed there since. */
export type SubscriptionRef = {
  /** The customer at the vendor. */
  customerId: string
  subscriptionId: string
  skuId: string
}

/** A subscription as its vendor told it at one moment. Values that we do not know are passed through. */
export type Observed = SubscriptionRef & {
  /** When it was requested, in epoch milliseconds: the state may be older by VENDOR_STALE_MS. */
  requestedAt?: number | undefined
  /** ACTIVE, SUSPENDED, PENDING, CANCELLED, or another. */
  status: string
  planName: string
  isCommitmentPlan: boolean
  commitmentStart: Date | null
  commitmentEnd: Date | null
  renewalType: string | null
  seats: ObservedSeats
  /** What the vendor will do at the next renewal by itself. A change of licenses before that may undo it there. */
  scheduled?: { total: number; at: Date | null } | undefined
  /** The vendor's version of the subscription, which each write changes: a write on condition of another one fails. */
  version?: string | undefined
  /** The product's name, where the vendor says it. */
  skuName?: string | undefined
  /** The vendor's own object, version or limits, which go back to it with a write. No other module reads them. */
  own?: unknown
}

/** A refusal that settles the request. `reason` is the vendor's, in words for people. */
export type Rejected = {
  kind: 'rejected'
  code: 'vendor_rejected' | 'subscription_not_active'
  reason: string
}

/**
 * Known reason why a vendor can't be called: it throttles us, or it denies access, so that repeating is useless until
 * an operator has restored our access. Absent: it did not respond.
 */
export type Why = 'throttled' | 'no_access'

/** What may be known of how long to wait. */
export type Wait = {
  /** Seconds, where the vendor says so. */
  retryAfter?: number | undefined
  why?: Why | undefined
}

/** The vendor could not be asked, or did not say. `reason` is for the log and for operators. */
export type Unavailable = Wait & {
  kind: 'unavailable'
  reason: string
  /** Only this subscription or customer: the vendor itself answers. */
  others?: 'answer' | undefined
}

export type VendorRead =
  | { kind: 'read'; observed: Observed }
  /** The vendor has no such subscription, nor another one of its SKU for this customer. */
  | { kind: 'missing'; reason: string }
  | Unavailable

/** What the vendor said to a write. Only `applied` may become a 200: it carries the vendor's own evidence. */
export type WriteAnswer =
  | { kind: 'applied'; observed: Observed; vendorRequestId?: string | undefined }
  | (Rejected & { vendorRequestId?: string | undefined })
  /** Surely nothing was done: throttled, not let in, or another operation is pending there. */
  | ({ kind: 'not_sent'; code: 'vendor_unavailable' | 'change_in_progress'; reason: string } & Wait)
  /**
   * Sent, and the outcome is not known: a timeout, a cut connection, a 5xx, a 202. A read can tell, or `lookup`:
   * `pollRef` is what the vendor itself calls the write, where it answered with an order to ask for later.
   */
  | {
      kind: 'unknown'
      reason: string
      vendorRequestId?: string | undefined
      pollRef?: string | undefined
    }

/** A write of ours, by the names that we and the vendor have for it. */
export type SentWrite = { changeId: string; pollRef: string | undefined }

/** End of a term: the total of the next one (undefined: the total stays), or the vendor's name of an outcome. */
export type NextTerm = { total: number | undefined } | { renewalType: string }

/** What can be told of a write without sending it. */
export type PredictedOutcome<Seats> = { kind: 'applied'; seats: Seats } | Rejected

/** A page of all subscriptions of all customers. */
export type ListPage<Item> = {
  kind: 'page'
  items: Item[]
  /** The vendor's customers whose subscriptions could not be read: nothing is known of them from this page. */
  failed: string[]
  /** Leads to the following page; undefined on the last one. */
  next: string | undefined
}

/** The vendor does not take this cursor any more: a list begins anew. */
export type StaleCursor = { kind: 'stale'; reason: string }

/** What every vendor has. `label` is its name for people. */
type Named = { name: string; label: string }

/** A vendor whose books are our own database: what can be foreseen is what happens. */
export type LocalVendor = Named & {
  systemOfRecord: 'ours'
  /** @param total licenses after the change; the rule of `decideQuantity` has been applied before */
  predictOutcome(subscription: { seats: VendorSeats }, total: number): PredictedOutcome<VendorSeats>
}

/**
 * A vendor that is reached over the network. Nothing here throws: whatever happens becomes one of the kinds, and
 * an abort by `signal` becomes `unavailable` before a write was sent, `unknown` after.
 */
export type RemoteVendor = Named & {
  systemOfRecord: 'theirs'
  /** The reseller's account there, for operators. */
  account: string
  /** How long a write may stay unseen by reads, in milliseconds: an assumption, and configuration. */
  settleMs: number
  /**
   * How long after a write was first sent it may be sent again under its change id with one effect, in milliseconds;
   * undefined where the vendor knows no such thing, and it must never be sent again. Of the answers to a repeat, only
   * `applied` settles the change: a refusal may be meant for the repeat, while the first is still being done.
   */
  idempotentWrites: number | undefined
  /** Refusals that the vendor publishes, such as fewer licenses than users: they need no call. */
  predictOutcome(observed: Observed, total: number): PredictedOutcome<ObservedSeats>
  /**
   * Whether what a list told is of the customer, subscription and SKU that we know by these names; what is of another
   * must not be believed. `read` and `setQuantity` have seen to that themselves.
   */
  isSame(ref: SubscriptionRef, observed: Observed): boolean
  /** Finds it again by customer and SKU where the id has changed. */
  read(ref: SubscriptionRef, signal: AbortSignal): Promise<VendorRead>
  /**
   * Sets the total number of licenses.
   * @param observed what `read` told a moment ago
   * @param changeId makes the call idempotent, where the vendor knows such a thing
   */
  setQuantity(observed: Observed, total: number, changeId: string, signal: AbortSignal): Promise<WriteAnswer>
  /** Sets what is to happen at the term's end, where the vendor takes that. A repeat changes nothing. */
  setNextTerm?: (o: Observed, next: NextTerm, requestId: string, signal: AbortSignal) => Promise<WriteAnswer>
  /**
   * What became of a write of ours, where the vendor can be asked that; it sends nothing. What it calls `rejected` or
   * `not_sent` holds for that write, also where the first answer to it was lost. `unknown` settles nothing: it is not
   * done yet, the vendor did not answer, or it does not know of the write.
   */
  lookup?: (ref: SubscriptionRef, write: SentWrite, signal: AbortSignal) => Promise<WriteAnswer>
  /**
   * A page of all subscriptions of all customers, for jobs: it leaves calls to people. Where it is `unavailable`, the
   * same cursor may be asked for again.
   * @param cursor `next` of the page before, which another process may have read; undefined for the first page
   */
  list(
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<ListPage<Observed> | StaleCursor | Unavailable>
  /** Whole seconds until a job may call the vendor with this account, and leave calls to people; 0: now. */
  secondsUntilAvailable(): Promise<number>
}

/** Whether all that a decision on a quantity rests on is as it was. */
export function isSameBasis(before: Observed, after: Observed): boolean {
  const basis = ({ status, isCommitmentPlan, commitmentEnd, seats }: Observed) =>
    [status, isCommitmentPlan, commitmentEnd?.getTime(), seats.purchased].join()
  return basis(before) === basis(after)
}

/** Whether customer, subscription and SKU have the same ids. */
export function hasSameIds(one: SubscriptionRef, other: SubscriptionRef): boolean {
  const ids = ({ customerId, subscriptionId, skuId }: SubscriptionRef) =>
    JSON.stringify([customerId, subscriptionId, skuId])
  return ids(one) === ids(other)
}
