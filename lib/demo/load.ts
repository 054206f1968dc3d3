import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { saveIssuer } from '#lib/billing/parties/issuers.ts'
import { setAsset } from '#lib/billing/posting-details/store.ts'
import { addCustomer } from '#lib/identity/customers/store.ts'
import { prepareMembers } from '#lib/identity/members/seed.ts'
import { importAssets } from '#lib/imports/assets.ts'
import { importInvoices } from '#lib/imports/invoices/import.ts'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { findCustomer, newCustomerId } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { billingProfiles } from '#lib/platform/db/schema/customers.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { assetsOf } from './asset.ts'
import type { DemoCustomer, DemoProfile } from './customers.ts'
import { addHistory } from './history.ts'
import { issuersOf } from './issuers.ts'
import { postingOf } from './posting.ts'

/** Initial password of every demo member: printed, and so not secret. */
export const DEMO_PASSWORD = 'demo-password'

/**
 * Adds the missing demo customers, each completely or not at all. An existing one stays with all changes and with the
 * dates of its load; other customers are not touched.
 * @param today UTC day for which the data looks fresh, as `YYYY-MM-DD`
 * @returns the names of the added customers
 */
export async function loadDemo(customers: readonly DemoCustomer[], today: string): Promise<string[]> {
  const added: string[] = []
  for (const customer of customers) {
    if (await findCustomer(customer.domain)) continue
    if (await addOnce(customer, today)) added.push(customer.name)
  }
  return added
}

/** Returns false where another process has added the customer at the same time. */
async function addOnce(customer: DemoCustomer, today: string): Promise<boolean> {
  try {
    await addDemoCustomer(customer, today)
    return true
  } catch (error) {
    if (errorCode(error) === '23505' && (await findCustomer(customer.domain))) return false
    throw new Error(`The demo customer ${customer.name} can't be added: ${causeOf(error)}`, { cause: error })
  }
}

/** Returns the database's message, which follows the statement. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause ? causeOf(error.cause) : error.message
}

async function addDemoCustomer(customer: DemoCustomer, today: string): Promise<void> {
  const { name, domain, contactEmail, purchases, invoices } = customer
  const customerId = newCustomerId(domain.replace(/\.example$/, ''))
  const addMembers = await prepareMembers(customer.members, DEMO_PASSWORD)
  await scope({ customerId }, async (tx) => {
    // Waits for another process that loads the same data; a slow machine takes its time.
    await tx.execute(sql`SET LOCAL lock_timeout = '60s'`)
    await tx.execute(sql`SET LOCAL statement_timeout = '60s'`)
    await addCustomer(tx, customerId, { name, domain, contactEmail })
    const event = { action: 'customer.added', subject: customerId, actor: OPERATOR, requestId: randomUUID() }
    await recordAudit(tx, customerId, { ...event, details: { name, domain, contactEmail } })
    await addProfiles(tx, customerId, customer.billingProfiles)
    const memberIds = await addMembers(tx, customerId)
    await importAssets(tx, customerId, assetsOf(customer, today), { replace: false })
    for (const { id, costCenter } of purchases)
      if (costCenter) await setAsset(tx, customerId, id, { purchaseOrder: null, costCenter })
    await addHistory(tx, customerId, { purchases, today, memberIds })
    for (const issuer of issuersOf(invoices)) await saveIssuer(tx, customerId, issuer, randomUUID())
    await importInvoices(tx, customerId, invoices)
    await importInvoices(tx, customerId, customer.resent ?? [], { correct: true })
  })
}

/** Adds the profiles. The customer has the profile `default` already, which gets its address now. */
async function addProfiles(tx: Transaction, customerId: CustomerId, profiles: DemoProfile[]) {
  for (const { id, ...profile } of profiles) {
    const rest = { ...profile, ...postingOf({ id }) }
    if (id === 'default') {
      const profileFilter = and(eq(billingProfiles.customerId, customerId), eq(billingProfiles.id, id))
      await tx.update(billingProfiles).set(rest).where(profileFilter)
    } else await tx.insert(billingProfiles).values({ customerId, id, ...rest })
  }
}
