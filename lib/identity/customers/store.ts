import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { queryWithoutCustomer } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { billingProfiles, customers, formerCustomers } from '#lib/platform/db/schema/customers.ts'

/** What a customer is called, where its people are, and whom to write to. */
export type Naming = { name: string; domain: string; contactEmail: string }

/** Undefined where there is no such customer. It is locked until the transaction ends. */
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
 * Changes what is given. A new domain is that of the assets, too, which had the former one: they are found by it. Keys
 * and members are not touched, nor what was issued: invoices name whom they were issued to.
 * @param before as `readNaming` gave it
 * @returns how many assets have the new domain. A domain that another customer has is 23505
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

/** As the history has it: each field that becomes another, with what it was. */
export function renaming(before: Naming, values: Partial<Naming>): Record<string, string> {
  const fields = Object.keys(values) as (keyof Naming)[]
  return Object.fromEntries(
    fields.flatMap((field) => [
      [field, values[field] ?? ''],
      [`${field} before`, before[field]],
    ]),
  )
}

/** Whether a customer that was removed had this id: its signed heads name it, and it is not given again. */
export async function wasRemoved(tx: Transaction, id: string): Promise<boolean> {
  const result = await tx
    .select({ id: formerCustomers.id })
    .from(formerCustomers)
    .where(eq(formerCustomers.id, id))
  return result.length > 0
}

/** Adds the customer with its billing profile `default`, which is named like it. */
export async function addCustomer(
  tx: Transaction,
  customerId: CustomerId,
  values: { name: string; domain: string; contactEmail: string },
): Promise<void> {
  await tx.insert(customers).values({ id: customerId, ...values })
  await tx.insert(billingProfiles).values({ customerId, id: 'default', name: values.name })
}

/** What is known of a customer without entering its scope. */
export type CustomerState = { name: string; domain: string; closedAt: Date | null; goneAt: Date | null }

type Times = { closedAt: string | null; goneAt: string | null }

/** All customers by their ids, in the order in which they were added; and the ids of those that were removed. */
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
