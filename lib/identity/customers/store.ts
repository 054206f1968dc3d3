import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { queryWithoutCustomer } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { billingProfiles, customers, formerCustomers } from '#lib/platform/db/schema/customers.ts'

/** Name, domain and contact address of a customer. */
export type Naming = { name: string; domain: string; contactEmail: string }

/** Locks the customer until the transaction ends, and returns its naming; undefined where it does not exist. */
export async function readNaming(tx: Transaction, customerId: CustomerId): Promise<Naming | undefined> {
  const { name, domain, contactEmail } = customers
  const customerFilter = eq(customers.id, customerId)
  const [row] = await tx
    .select({ name, domain, contactEmail })
    .from(customers)
    .where(customerFilter)
    .for('no key update')
  return row
}

/**
 * Changes the given fields. Assets with the former domain get the new one, because they are found by it. Keys, members
 * and issued invoices stay as they are: invoices contain the name that they were issued to.
 * @param before result of `readNaming`
 * @returns how many assets have the new domain. A domain of another customer fails with 23505
 */
export async function changeNaming(
  tx: Transaction,
  customerId: CustomerId,
  values: Partial<Naming>,
  before: Naming,
): Promise<number> {
  if (Object.keys(values).length === 0) return 0
  await tx.update(customers).set(values).where(eq(customers.id, customerId))
  if (values.domain === undefined || values.domain === before.domain) return 0
  const former = and(eq(assets.customerId, customerId), eq(assets.customerDomain, before.domain))
  const { rowCount } = await tx.update(assets).set({ customerDomain: values.domain }).where(former)
  return rowCount ?? 0
}

/** Returns the details of the audit event: each changed field with its former value. */
export function renaming(before: Naming, values: Partial<Naming>): Record<string, string> {
  const fields = Object.keys(values) as (keyof Naming)[]
  return Object.fromEntries(
    fields.flatMap((field) => [
      [field, values[field] ?? ''],
      [`${field} before`, before[field]],
    ]),
  )
}

/**
 * Returns whether a removed customer had this id. Its signed chain heads contain the id, which is therefore never
 * reused.
 */
export async function wasRemoved(tx: Transaction, id: string): Promise<boolean> {
  const result = await tx
    .select({ id: formerCustomers.id })
    .from(formerCustomers)
    .where(eq(formerCustomers.id, id))
  return result.length > 0
}

/** Adds the customer with its billing profile `default` of the same name. */
export async function addCustomer(
  tx: Transaction,
  customerId: CustomerId,
  values: { name: string; domain: string; contactEmail: string },
): Promise<void> {
  await tx.insert(customers).values({ id: customerId, ...values })
  await tx.insert(billingProfiles).values({ customerId, id: 'default', name: values.name })
}

/** Details of a customer that are readable outside of its scope. */
export type CustomerState = { name: string; domain: string; closedAt: Date | null; goneAt: Date | null }

type Times = { closedAt: string | null; goneAt: string | null }

/** Returns all customers by id, in the order of their creation, and the ids of removed ones. */
export function listCustomerStates(): Promise<{ states: Map<string, CustomerState>; removed: Set<string> }> {
  return queryWithoutCustomer('jobs', async (tx) => {
    const { rows } = await tx.execute<
      { id: string } & Omit<CustomerState, 'closedAt' | 'goneAt'> & Times
    >(sql`
      SELECT id, name, domain, closed_at AS "closedAt", gone_at AS "goneAt" FROM customers ORDER BY created_at, id`)
    const former = await tx.execute<{ id: string }>(sql`SELECT id FROM former_customers`)
    const dateOf = (time: string | null) => (time === null ? null : new Date(time))
    const states = new Map(
      rows.map(({ id, closedAt, goneAt, ...state }) => [
        id,
        { ...state, closedAt: dateOf(closedAt), goneAt: dateOf(goneAt) },
      ]),
    )
    return { states, removed: new Set(former.rows.map(({ id }) => id)) }
  })
}
