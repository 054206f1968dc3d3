import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { type IssuerDetails, listIssuers } from '#lib/billing/parties/issuers.ts'
import { type BillingProfile, listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { listRecipientRows } from '#lib/notifications/notices/recipients.ts'
import type { Kind } from '#lib/notifications/notices/rules.ts'
import { type CustomerId, ROLES, type Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { customers, members } from '#lib/platform/db/schema/customers.ts'

export type StoredMember = {
  id: string
  email: string
  name: string
  roles: Role[]
  billingProfiles: string[] | null
  isDisabled: boolean
}

/** Stored customer with the fields that a file can set. */
export type StoredCustomer = {
  name: string
  domain: string
  contactEmail: string
  profiles: BillingProfile[]
  issuers: ({ name: string } & IssuerDetails)[]
  members: StoredMember[]
  notices: { email: string; profile: string | null; kinds: Kind[] }[]
}

/** Returns undefined for an unknown customer. */
export async function readStored(
  tx: Transaction,
  customerId: CustomerId,
): Promise<StoredCustomer | undefined> {
  const { name, domain, contactEmail } = customers
  const { id, email, roles, billingProfiles } = members
  const isDisabled = sql<boolean>`${members.disabledAt} IS NOT NULL`
  const [customerRows, profiles, issuers, people, recipients] = await Promise.all([
    tx.select({ name, domain, contactEmail }).from(customers).where(eq(customers.id, customerId)),
    listBillingProfiles(tx, customerId),
    listIssuers(tx, customerId),
    tx
      .select({ id, email, name: members.name, roles: sql<Role[]>`${roles}`, billingProfiles, isDisabled })
      .from(members)
      .where(eq(members.customerId, customerId)),
    listRecipientRows(tx, customerId),
  ])
  if (!customerRows[0]) return undefined
  return {
    ...customerRows[0],
    profiles,
    issuers,
    members: people.map((member) => ({
      ...member,
      roles: ROLES.filter((role) => member.roles.includes(role)),
      billingProfiles: member.billingProfiles && [...member.billingProfiles].sort(),
    })),
    notices: recipients.map((row) => ({ email: row.email, profile: row.profile, kinds: row.notices })),
  }
}

const NOTHING = { address: null, postcode: null, city: null, country: null, taxId: null, registration: null }

/** Returns a new customer as added: with its billing profile `default` of the same name. */
export function newlyAdded(customer: { name: string; domain: string; contactEmail: string }): StoredCustomer {
  const profiles = [{ id: 'default', name: customer.name, ...NOTHING }]
  return { ...customer, profiles, issuers: [], members: [], notices: [] }
}
