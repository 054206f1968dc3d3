import 'server-only'
import type { z } from 'zod'
import type { Budgets } from './budgets.ts'
import type { ListPage, Observed, RemoteVendor, StaleCursor, Unavailable } from './vendor.ts'

/** Properties of a vendor that users should know before they change a number of licenses. */
export type VendorInfo = {
  /** Display name. */
  label: string
  /** Whether the quantity of a plan without a commitment is a cap: the vendor bills the use below the cap. */
  capsFlexible: boolean
  /** Whether the vendor accepts a total below the number of assigned users, some of whom then lose their licenses. */
  takesLicenses: boolean
  /** Whether increases can be reversed only for a few days, even without a commitment. */
  locksIncreases: boolean
  /** Returns the possible orders for the next term of a plan. */
  nextTerm(planName: string): NextTermChoice
  /** Ends that can be ordered instead of a next term, where a next term can be ordered. */
  endActions: readonly EndAction[]
}

/** Instead of a next term: no further charges, or a paid Extended Service Term from month to month. */
export type EndAction = 'cancel' | 'extended-term'

/** Any total, one of the vendor's own ways to renew, or nothing. */
export type NextTermChoice = 'total' | { renewalTypes: readonly string[] } | undefined

/** What every vendor's settings come to; each has more of its own. */
export type VendorConfig = {
  /** How long a write may stay unseen by reads, in milliseconds. */
  settleMs: number
  /** How long a write may be sent again under its change id, in milliseconds; without it, never. */
  idempotentWrites?: number | undefined
}

/** A page of all subscriptions, and how many more there are on it that could not be understood. */
export type VendorPage = ListPage<Observed> & { unread: number }

/** What needs the network. */
export type VendorCalls = Pick<
  RemoteVendor,
  'read' | 'setQuantity' | 'setNextTerm' | 'lookup' | 'secondsUntilAvailable'
> & {
  list(cursor: string | undefined, signal: AbortSignal): Promise<VendorPage | StaleCursor | Unavailable>
}

/**
 * What a vendor's folder says of it: all that is known without asking it. Pages and the settings load
 * this of every vendor, so it imports nothing that reaches the network.
 */
export type VendorDeclaration<Config extends VendorConfig = VendorConfig> = {
  /** As stored with an asset. */
  name: string
  info: VendorInfo
  /** Makes its configuration of the environment; undefined where the vendor is not set up. */
  settings: z.ZodType<Config | undefined>
  predictOutcome: RemoteVendor['predictOutcome']
  /** Where ids alone don't tell; else all three of them do. */
  isSame?: RemoteVendor['isSame']
  /** Whether its connect.ts has a `lookup`. */
  hasLookup?: boolean
  /** Whether its connect.ts has a `setNextTerm`. */
  setsNextTerm?: boolean
  /** Loads what calls the vendor: its connect.ts. */
  load(): Promise<{ connect(config: Config, budgets: Budgets): VendorCalls }>
}
