import 'server-only'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { database, type Transaction } from '#lib/platform/db/client.ts'
import { PipelinedQueries, sendTogether } from '#lib/platform/db/pipeline.ts'
import { VERSION, withoutValues } from '#lib/platform/db/prepared-queries.ts'
import { perDatabase } from '#lib/platform/db/scope.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import { countQuery } from '#lib/platform/runtime/log.ts'
import type { Caller, CustomerId, Role } from './rules.ts'

/** Row of a caller, read by key or by session; `stale`: the last use has to be recorded again. */
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
  /** Networks to which a key is limited. */
  addresses?: string[] | null
  /** Seconds since a session's member last verified their identity. */
  proven_seconds_ago?: number
  /** Version of the customer's rows, where the query reads it. */
  version?: string
  /** Time of the query in epoch milliseconds, next to `version`. */
  now?: number
  /** Either both or none of the two times is set. */
  closed_at: Date | null
  gone_at: Date | null
}

/** Columns of a query for callers that the answers of cached calls depend on. `$1` is the customer. */
export const DATA_VERSION = `${VERSION} AS version, floor(extract(epoch FROM now()) * 1000)::float8 AS now`

/**
 * Returns SQL of the ids of the billing profiles that a caller of the customer `$1` may see, sorted: all of the
 * customer's, unless limited to some.
 * @param limits SQL of arrays of ids: each array that is not null limits the caller
 */
export function visibleProfiles(...limits: readonly string[]): string {
  const within = limits.map((limit) => `AND (${limit} IS NULL OR p.id = ANY(${limit}))`).join(' ')
  return `array(SELECT p.id FROM billing_profiles p WHERE p.customer_id = $1 ${within} ORDER BY p.id)`
}

/** Runs a single statement of a look-up before the customer is known, with the login of its pool. */
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

/** Runs a statement of authentication, pipelined with those of concurrent requests. */
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

/** Returns the customer with this id or domain, for the operator's commands. */
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

/**
 * Returns all customers in the order of their creation: for the operator's commands, and jobs that iterate over
 * customers.
 */
export function listCustomers(): Promise<{ customerId: CustomerId; name: string; domain: string }[]> {
  return queryWithoutCustomer('jobs', async (tx) => {
    const { rows } = await tx.execute<{ id: string; name: string; domain: string }>(sql`
      SELECT id, name, domain FROM customers ORDER BY created_at, id`)
    return rows.map((row) => ({ customerId: minted(row.id), name: row.name, domain: row.domain }))
  })
}

/** Returns the next customer in the order of ids; with `orItself`, the one with this id if it exists. */
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

/** Returns the number of all customers, and of those up to this id. */
export function countCustomers(id: string): Promise<{ upTo: number; all: number }> {
  return queryWithoutCustomer('jobs', async (tx) => {
    const { rows } = await tx.execute<{ upTo: number; all: number }>(sql`
      SELECT count(*) FILTER (WHERE id <= ${id})::int AS "upTo", count(*)::int AS all FROM customers`)
    return rows[0] ?? { upTo: 0, all: 0 }
  })
}

/** Returns the id of a customer that is being added, to enter `scope` with. */
export function newCustomerId(id: string): CustomerId {
  return minted(id)
}

// The migration's own transaction is noted for no customer. A later id than all of this server is from a server whose
// dump was restored here.
const ARE_EARLIER_TRANSACTIONS_OVER = `
  SELECT transaction < pg_snapshot_xmin(pg_current_snapshot()) OR transaction >= pg_snapshot_xmax(pg_current_snapshot())
    AS "areOver"
  FROM unversioned_writes WHERE customer_id = ''`

type Readiness = { isReady: boolean; askedAt: number }
const readiness = perDatabase((): Readiness => ({ isReady: false, askedAt: Number.NEGATIVE_INFINITY }))

/** Pause between two checks whether versions are complete, in milliseconds. */
const CHECK_PAUSE_MS = 1000

/**
 * Returns whether every open transaction replaces the version of its rows: answers may be cached only then. False
 * until the transactions have ended that began before the migration `customer-versions`.
 */
function areVersionsComplete(): boolean {
  const state = readiness()
  if (!state.isReady && performance.now() - state.askedAt > CHECK_PAUSE_MS) void check(state)
  return state.isReady
}

async function check(state: Readiness): Promise<void> {
  state.askedAt = performance.now()
  const result = await database()
    .keys.query<{ areOver: boolean }>(ARE_EARLIER_TRANSACTIONS_OVER)
    .catch(() => undefined)
  state.isReady = result?.rows[0]?.areOver ?? false
}

/** Returns the caller for the row of a key or a session. */
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
    ...(row.version && row.now && areVersionsComplete()
      ? { seenAt: { version: row.version, now: row.now } }
      : {}),
    ...(row.closed_at && row.gone_at ? { closed: { at: row.closed_at, goneAt: row.gone_at } } : {}),
  }
}

/**
 * Returns the SQL condition that a customer's members and keys are admitted.
 * @param customer alias of a row of `customers`
 */
export function isNotDeleted(customer: string): string {
  return `(${customer}.gone_at IS NULL OR ${customer}.gone_at > now())`
}

/** Brands an id that was found in the credential index. */
export function minted(id: string): CustomerId {
  return id as CustomerId
}

type Customer = { customerId: CustomerId; name: string; domain: string; contactEmail: string }

/**
 * Returns the operator as a caller of operations: for one customer, with the roles that a command needs and no billing
 * profile. For the command line only, whose user has access to the database itself: no request ever becomes this
 * caller.
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
