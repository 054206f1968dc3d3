import 'server-only'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { database, type Transaction } from '#lib/platform/db/client.ts'
import { PipelinedQueries, sendTogether } from '#lib/platform/db/pipeline.ts'
import { withoutValues } from '#lib/platform/db/prepared-queries.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import { countQuery } from '#lib/platform/runtime/log.ts'
import type { Caller, CustomerId, Role } from './rules.ts'

/** A caller as it is read, by key or by session; `stale`: its last use is to be written down anew. */
export type CallerRow = {
  customer_id: string
  customer_name: string
  customer_domain: string
  id: string
  name: string
  email: string
  roles: Role[]
  billing_profiles: string[]
  stale: boolean
  /** Of a key alone: the networks to which it is limited. */
  addresses?: string[] | null
  /** Of a session alone: how long ago its member last proved who they are. */
  proven_seconds_ago?: number
  /** Both or none. */
  closed_at: Date | null
  gone_at: Date | null
}

/** Look-ups that happen before a customer is known have logins of their own, a statement each. */
export async function queryWithoutCustomer<T>(
  pool: 'signIn' | 'jobs',
  fn: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await fn(drizzle(database()[pool]))
  } catch (error) {
    throw withoutValues(error)
  }
}

/** The rows of a statement that finds out who is calling, sent together with those of the requests that come in at the same time. */
export async function queryWithoutCustomerPipelined<Row>(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  countQuery()
  const pipeline = new PipelinedQueries()
  const result = pipeline.add({ text: text }, values)
  sendTogether(pool, pipeline)
  return (await result).rows as Row[]
}

/** The customer with this id or domain, for the operator's commands. */
export function findCustomer(
  idOrDomain: string,
): Promise<{ customerId: CustomerId; name: string; domain: string; contactEmail: string } | undefined> {
  return queryWithoutCustomer('jobs', async (tx) => {
    const { rows } = await tx.execute<{ id: string; name: string; domain: string; email: string }>(sql`
      SELECT id, name, domain, contact_email AS email FROM customers
      WHERE id = ${idOrDomain} OR domain = ${idOrDomain.toLowerCase()}`)
    const row = rows[0]
    return row && { customerId: minted(row.id), name: row.name, domain: row.domain, contactEmail: row.email }
  })
}

/** All customers in the order in which they were added: for the operator's commands, and jobs that go from one to the next. */
export function listCustomers(): Promise<{ customerId: CustomerId; name: string; domain: string }[]> {
  return queryWithoutCustomer('jobs', async (tx) => {
    const { rows } = await tx.execute<{ id: string; name: string; domain: string }>(sql`
      SELECT id, name, domain FROM customers ORDER BY created_at, id`)
    return rows.map((row) => ({ customerId: minted(row.id), name: row.name, domain: row.domain }))
  })
}

/** The next customer in the order of their ids; `orItself`: the one with this id, where it is there. */
export function customerAfter(
  id: string,
  { orItself }: { orItself: boolean },
): Promise<CustomerId | undefined> {
  return queryWithoutCustomer('jobs', async (tx) => {
    const { rows } = await tx.execute<{ id: string }>(sql`
      SELECT id FROM customers WHERE id >= ${id} AND (id > ${id} OR ${orItself}) ORDER BY id LIMIT 1`)
    return rows[0] && minted(rows[0].id)
  })
}

/** How many customers there are, and how many of them up to this id. */
export function countCustomers(id: string): Promise<{ upTo: number; all: number }> {
  return queryWithoutCustomer('jobs', async (tx) => {
    const { rows } = await tx.execute<{ upTo: number; all: number }>(sql`
      SELECT count(*) FILTER (WHERE id <= ${id})::int AS "upTo", count(*)::int AS all FROM customers`)
    return rows[0] ?? { upTo: 0, all: 0 }
  })
}

/** For a customer that is being added: its id, to enter `scope` with. */
export function newCustomerId(id: string): CustomerId {
  return minted(id)
}

/** The caller that a key or a session has proven. */
export function verifiedCaller(row: CallerRow, via: Caller['via']): Caller {
  return {
    customerId: minted(row.customer_id),
    customerName: row.customer_name,
    customerDomain: row.customer_domain,
    via,
    id: row.id,
    name: row.name,
    email: row.email,
    roles: row.roles,
    billingProfiles: row.billing_profiles,
    ...(row.closed_at && row.gone_at ? { closed: { at: row.closed_at, goneAt: row.gone_at } } : {}),
  }
}

/** In SQL, of the row of `customers` that the text names: whether its people and keys are still let in. */
export function isNotDeleted(customer: string): string {
  return `(${customer}.gone_at IS NULL OR ${customer}.gone_at > now())`
}

/** For what a look-up has found. */
export function minted(id: string): CustomerId {
  return id as CustomerId
}

type Customer = { customerId: CustomerId; name: string; domain: string; contactEmail: string }

/**
 * The operator as a caller of operations: for one customer, with the roles that a command needs and no billing profile.
 * For the command line alone, whose user holds the database itself: no request ever becomes this caller.
 */
export function asOperator(
  { customerId, name: customerName, domain: customerDomain, contactEmail: email }: Customer,
  roles: readonly Role[],
): Caller {
  const { id, name } = OPERATOR
  return {
    customerId,
    customerName,
    customerDomain,
    via: 'operator',
    id,
    name,
    email,
    roles,
    billingProfiles: [],
  }
}
