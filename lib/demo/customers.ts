import type { NewInvoice } from '#lib/imports/schemas.ts'
import type { Role } from '#lib/platform/caller/rules.ts'
import { freight } from './freight/freight.ts'
import { northwind } from './northwind/northwind.ts'
import type { Purchase } from './purchase.ts'
import { studio } from './studio.ts'

/** Returns the invented customers in the order of `customers list`: the one with every case first, the largest last. */
export function demoCustomers(
  today: string,
  { largest = 5000 } = {},
): [DemoCustomer, DemoCustomer, DemoCustomer] {
  return [northwind(today), studio(today), freight(today, { invoices: largest })]
}

/** Invented customer with all data to load. */
export type DemoCustomer = {
  name: string
  /** Ends in the reserved TLD `.example`. */
  domain: string
  contactEmail: string
  billingProfiles: DemoProfile[]
  members: DemoMember[]
  purchases: Purchase[]
  usage: UsageAsset[]
  invoices: NewInvoice[]
  /** Invoices that their issuer sent again with different content. */
  resent?: NewInvoice[]
}

export type DemoProfile = { id: string; name: string; address: string; country?: string; taxId: string }

/** `billingProfiles` limits the member to some; absent: all. */
export type DemoMember = { email: string; name: string; roles: Role[]; billingProfiles?: string[] }

/** An asset without licenses. */
export type UsageAsset = {
  /** Starts with the type. */
  id: string
  type: 'cloud-platform' | 'web-services'
  name: string
  domain: string
  vendorCustomerId: string
  boughtOn: string
}
