import type { NewIssuer } from '#lib/billing/issuers/store.ts'
import type { BillingProfile } from '#lib/identity/customers/billing-profiles.ts'
import type { Kind } from '#lib/notifications/notices/rules.ts'
import type { Role } from '#lib/platform/caller/rules.ts'

// What a file says of customers. What is left out stays as it is; a customer that is new lacks nothing that it needs.

/** Where in the file it stands: the line on which its row or object begins. */
type Given<T> = T & { line: number }

export type GivenProfile = Given<Pick<BillingProfile, 'id'> & Partial<BillingProfile>>
export type GivenIssuer = Given<NewIssuer>

export type GivenMember = Given<{
  email: string
  name?: string | undefined
  roles?: Role[] | undefined
  /** Null: all of the customer's. */
  billingProfiles?: string[] | null | undefined
}>

/** What an address is told: of one billing profile, and of licenses, which have none. */
export type GivenNotices = Given<{ email: string; profile: string; kinds: Kind[] }>

export type GivenCustomer = Given<{
  id: string
  name?: string | undefined
  domain?: string | undefined
  contactEmail?: string | undefined
  profiles: GivenProfile[]
  issuers: GivenIssuer[]
  members: GivenMember[]
  notices: GivenNotices[]
}>

/** A part of a customer, as a row of CSV or an object of JSON has it. */
export type Piece = Given<{
  id: string
  name?: string | undefined
  domain?: string | undefined
  contactEmail?: string | undefined
  profiles?: Omit<GivenProfile, 'line'>[] | undefined
  issuers?: Omit<GivenIssuer, 'line'>[] | undefined
  members?: Omit<GivenMember, 'line'>[] | undefined
  notices?: Omit<GivenNotices, 'line'>[] | undefined
}>
