import 'server-only'

/** Whole licenses. `maximum` is the cap; equal to `purchased` unless the vendor states one apart. */
export type VendorSeats = { purchased: number; maximum: number; assigned: number }

/** One subscription as its vendor knows it. */
export type VendorSubscription = {
  /** The customer at the vendor. */
  customerId: string
  subscriptionId: string
  skuId: string
  isCommitmentPlan: boolean
  seats: VendorSeats
}

/** What the vendor said. Only `applied` may become a 200: it carries the vendor's own evidence. */
export type VendorAnswer =
  | { kind: 'applied'; seats: VendorSeats }
  /** `reason` is the vendor's, in words for people. */
  | { kind: 'rejected'; reason: string }

/** The port to whoever sells the seats upstream. One file per vendor stands behind it. */
export type Vendor = {
  name: string
  /**
   * Sets the total number of licenses.
   * @param total after the change; the rule of `decideQuantity` has been applied before
   */
  setQuantity(subscription: VendorSubscription, total: number): Promise<VendorAnswer>
  /** What can be told of that answer without asking: for a dry run, in which nothing is sent. */
  foresee(subscription: VendorSubscription, total: number): VendorAnswer
}
