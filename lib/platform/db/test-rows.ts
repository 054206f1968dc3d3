import { randomUUID } from 'node:crypto'
import { freezeParties } from '#lib/billing/parties/store.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import {
  addToCredentialIndex,
  digestOf,
  maskedKey,
  newApiKey,
  noteAddress,
} from '#lib/platform/caller/credentials.ts'
import type { Caller, Role } from '#lib/platform/caller/rules.ts'
import { assets } from './schema/assets.ts'
import { apiKeys, billingProfiles, customers, members } from './schema/customers.ts'
import { invoices, lineItems } from './schema/invoices/invoices.ts'
import { parties } from './schema/invoices/parties.ts'
import { vendorSubscriptions } from './schema/vendors.ts'
import { scope } from './scope.ts'

// Rows for tests, each with harmless defaults, inserted through `scope` like the app's.

const owner = (customerId: string) => ({ customerId: customerId as Caller['customerId'] })

/** Adds a customer with the billing profile `default`, and `test-party` for invoices that a test inserts itself. */
export async function addCustomer(id: string): Promise<void> {
  const domain = `${id}.example`
  await scope(owner(id), async (tx) => {
    await tx.insert(customers).values({ id, name: id, domain, contactEmail: `contact@${domain}` })
    await tx.insert(billingProfiles).values({ customerId: id, id: 'default', name: id })
    await tx.insert(parties).values({ customerId: id, id: 'test-party', content: { name: 'Party' } })
  })
}

/** Adds a customer with an id that is unique in this test file, and returns the id. */
export async function addNewCustomer(): Promise<string> {
  const id = `customer-${randomUUID().slice(0, 8)}`
  await addCustomer(id)
  return id
}

export async function addProfile(customerId: string, id: string): Promise<void> {
  await scope(owner(customerId), (tx) => tx.insert(billingProfiles).values({ customerId, id, name: id }))
}

export async function addMember(
  customerId: string,
  overrides: Partial<typeof members.$inferInsert> & { roles: Role[] },
): Promise<string> {
  const id = randomUUID()
  const values = { customerId, id, name: id, email: `${id}@${customerId}.example`, ...overrides }
  await scope(owner(customerId), async (tx) => {
    await tx.insert(members).values(values)
    await noteAddress(tx, owner(customerId).customerId, values)
  })
  return values.id
}

/** Adds an API key with these roles, and returns its text, which is not stored. */
export async function addKey(
  customerId: string,
  roles: Role[],
  overrides: Partial<typeof apiKeys.$inferInsert> = {},
): Promise<string> {
  const key = newApiKey()
  const row = { customerId, id: randomUUID(), name: 'test', digest: digestOf(key), ...maskedKey(key), roles }
  const values = { ...row, ...overrides }
  await scope(owner(customerId), async (tx) => {
    await addToCredentialIndex(tx, owner(customerId).customerId, 'key', values)
    await tx.insert(apiKeys).values(values)
  })
  return key
}

/** Returns the caller of a new key with these roles. */
export async function callerOf(customerId: string, ...roles: Role[]): Promise<Caller> {
  const caller = await findKeyCaller(digestOf(await addKey(customerId, roles)))
  if (!caller) throw new Error('The key was not found.')
  return caller
}

type Term = { isCommitmentPlan?: boolean; commitmentEnd?: Date }
type Subscription = Term & { purchased: number; assigned?: number; status?: string }

type AssetOverrides = Partial<typeof assets.$inferInsert> & { observedAt?: Date }

/** Adds an asset; with a subscription (by default flexible and active) where one is passed. */
export async function addAsset(
  customerId: string,
  id: string,
  subscription: Subscription | null,
  overrides: AssetOverrides = {},
): Promise<void> {
  await addAssets(customerId, [{ id, subscription, overrides }])
}

/** Adds assets in one transaction, like `addAsset`. */
export async function addAssets(
  customerId: string,
  added: readonly { id: string; subscription: Subscription | null; overrides: AssetOverrides }[],
): Promise<void> {
  const all = added.map((one) => assetRows(customerId, one))
  const atVendors = all.flatMap(({ atVendor }) => (atVendor ? [atVendor] : []))
  await scope(owner(customerId), async (tx) => {
    if (atVendors.length > 0) await tx.insert(vendorSubscriptions).values(atVendors)
    await tx.insert(assets).values(all.map(({ row }) => row))
  })
}

/** Returns the row of an asset, and that of its subscription at a vendor if it has one. */
function assetRows(
  customerId: string,
  { id, subscription, overrides: all }: Parameters<typeof addAssets>[1][number],
) {
  const { observedAt = null, ...overrides } = all
  const type = id.split('-').slice(0, 2).join('-')
  const values = { customerId, id, type, name: id, customerDomain: `${customerId}.example` }
  const row = {
    ...values,
    vendorCustomerId: 'C1',
    reseller: 'sales@reseller.example',
    ...licensed(subscription),
    // At an external vendor, a subscription belongs to one asset across all customers.
    ...(subscription && overrides.vendor ? { subscriptionId: `S-${customerId}-${id}` } : {}),
    ...overrides,
  }
  const { vendor, vendorAccount: account = 'default', vendorCustomerId, subscriptionId, skuId } = row
  if (vendor === undefined || vendor === 'built-in' || !subscriptionId || !skuId) return { row }
  const atVendor = { vendor, account, vendorCustomerId, subscriptionId, skuId, customerId, observedAt }
  return {
    row: { ...row, vendorSubscriptionId: `at-${id}` },
    atVendor: { ...atVendor, id: `at-${id}` },
  }
}

function licensed(subscription: Subscription | null): Partial<typeof assets.$inferInsert> {
  if (!subscription) return {}
  const { purchased, assigned = 0, status = 'ACTIVE', isCommitmentPlan = false, commitmentEnd } = subscription
  return {
    subscriptionId: 'S1',
    skuId: 'SKU1',
    skuName: 'Business Plus',
    billingMethod: 'ONLINE',
    status,
    planName: isCommitmentPlan ? 'ANNUAL_MONTHLY_PAY' : 'FLEXIBLE',
    isCommitmentPlan,
    seatsPurchased: purchased,
    seatsMaximum: purchased,
    seatsAssigned: assigned,
    ...(commitmentEnd ? { commitmentEnd } : {}),
  }
}

/**
 * Adds an open invoice of 10.00 USD with one line, unless overridden. Its parties are those of the current settings.
 */
export async function addInvoice(
  customerId: string,
  id: string,
  overrides: Partial<typeof invoices.$inferInsert> = {},
  lines: Partial<Omit<typeof lineItems.$inferInsert, 'customerId' | 'invoiceId' | 'position'>>[] = [{}],
): Promise<void> {
  const row = { customerId, id, number: id, billingProfileId: 'default', platform: 'cloud-platform' }
  const terms = { issuer: 'Reseller', invoiceDate: '2026-10-31', dueDate: '2026-11-30', currency: 'USD' }
  const values = { ...row, ...terms, totalAmount: '10.00', balanceAmount: '10.00', ...overrides }
  await scope(owner(customerId), async (tx) => {
    const partiesOf = await freezeParties(tx, owner(customerId).customerId, [values])
    await tx.insert(invoices).values({ ...partiesOf(values), ...values })
    const { platform: type, currency } = values
    const usage = { customerId, invoiceId: id, type, currency, description: 'Usage', price: '10', qty: '1' }
    const rows = lines.map((line, position) => ({ ...usage, position, ...line }))
    await tx.insert(lineItems).values(rows)
  })
}
