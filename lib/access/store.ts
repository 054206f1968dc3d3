import 'server-only'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { database, type Transaction } from '#lib/db/client.ts'
import { withoutValues } from '#lib/db/failure.ts'
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
}

/** Look-ups that happen before a customer is known run as the role `console_access`, a statement each. */
async function lookUp<T>(fn: (access: Transaction) => Promise<T>): Promise<T> {
  try {
    return await fn(drizzle(database().access))
  } catch (error) {
    throw withoutValues(error)
  }
}

/** Whom a sign-in is about, and whether their account knows the browser. */
export type SignInRow = {
  customerId: CustomerId
  memberId: string
  name: string
  passwordHash: string | null
  isKnown: boolean
}

/**
 * What sign-in compares: the member with this address in any case; undefined also when disabled.
 * @param browser digest of the browser's mark, where it has one
 */
export function findSignIn(email: string, browser?: string): Promise<SignInRow | undefined> {
  return lookUp(async (access) => {
    const { rows } = await access.execute<{
      customer_id: string
      id: string
      name: string
      password_hash: string | null
      is_known: boolean
    }>(sql`
      SELECT m.customer_id, m.id, m.name, m.password_hash, EXISTS (
        SELECT FROM known_browsers b
        WHERE b.customer_id = m.customer_id AND b.member_id = m.id AND b.digest = ${browser ?? ''}) AS is_known
      FROM members m WHERE lower(m.email) = lower(${email}) AND m.disabled_at IS NULL`)
    const row = rows[0]
    if (!row) return undefined
    const { id: memberId, name, password_hash: passwordHash, is_known: isKnown } = row
    return { customerId: minted(row.customer_id), memberId, name, passwordHash, isKnown }
  })
}

/** The customer with this id or domain, for the operator's commands. */
export function findCustomer(
  idOrDomain: string,
): Promise<{ customerId: CustomerId; name: string; domain: string; contactEmail: string } | undefined> {
  return lookUp(async (access) => {
    const { rows } = await access.execute<{ id: string; name: string; domain: string; email: string }>(sql`
      SELECT id, name, domain, contact_email AS email FROM customers
      WHERE id = ${idOrDomain} OR domain = ${idOrDomain.toLowerCase()}`)
    const row = rows[0]
    return row && { customerId: minted(row.id), name: row.name, domain: row.domain, contactEmail: row.email }
  })
}

/** All customers in the order in which they were added: for the operator's commands, and jobs that go from one to the next. */
export function listCustomers(): Promise<{ customerId: CustomerId; name: string; domain: string }[]> {
  return lookUp(async (access) => {
    const { rows } = await access.execute<{ id: string; name: string; domain: string }>(sql`
      SELECT id, name, domain FROM customers ORDER BY created_at, id`)
    return rows.map((row) => ({ customerId: minted(row.id), name: row.name, domain: row.domain }))
  })
}

/** The next customer in the order of their ids; `orItself`: the one with this id, where it is there. */
export function customerAfter(
  id: string,
  { orItself }: { orItself: boolean },
): Promise<CustomerId | undefined> {
  return lookUp(async (access) => {
    const { rows } = await access.execute<{ id: string }>(sql`
      SELECT id FROM customers WHERE id >= ${id} AND (id > ${id} OR ${orItself}) ORDER BY id LIMIT 1`)
    return rows[0] && minted(rows[0].id)
  })
}

/** How many customers there are, and how many of them up to this id. */
export function countCustomers(id: string): Promise<{ upTo: number; all: number }> {
  return lookUp(async (access) => {
    const { rows } = await access.execute<{ upTo: number; all: number }>(sql`
      SELECT count(*) FILTER (WHERE id <= ${id})::int AS "upTo", count(*)::int AS all FROM customers`)
    return rows[0] ?? { upTo: 0, all: 0 }
  })
}

/** For a customer that is being added: its id, to enter `scope` with. */
export function newCustomerId(id: string): CustomerId {
  return minted(id)
}

/** The caller that a key or a session has proven. */
export function provenCaller(row: CallerRow, via: Caller['via']): Caller {
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
  }
}

function minted(id: string): CustomerId {
  return id as CustomerId
}
