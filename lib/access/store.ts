import 'server-only'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { database, type Transaction } from '#lib/db/client.ts'
import { withoutValues } from '#lib/db/failure.ts'
import { type Caller, type CustomerId, type Role, SESSION_IDLE_SECONDS, SESSION_SECONDS } from './rules.ts'

type CallerRow = {
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

// The two that every request begins with are named, so that PostgreSQL plans them once for a connection:
// planning takes it three times as long as running them.
const KEY_CALLER = {
  name: 'key-caller',
  text: `
  SELECT k.customer_id, c.name AS customer_name, c.domain AS customer_domain, k.id, k.name,
    coalesce(m.email, c.contact_email) AS email,
    CASE WHEN k.issued_by IS NULL OR m.roles @> '{admin}' THEN k.roles
         ELSE array(SELECT unnest(k.roles) INTERSECT SELECT unnest(m.roles)) END AS roles,
    array(SELECT p.id FROM billing_profiles p WHERE p.customer_id = k.customer_id
      AND (k.billing_profiles IS NULL OR p.id = ANY(k.billing_profiles))
      AND (m.billing_profiles IS NULL OR p.id = ANY(m.billing_profiles)) ORDER BY p.id) AS billing_profiles,
    (k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute') AS stale
  FROM api_keys k
  JOIN customers c ON c.id = k.customer_id
  LEFT JOIN members m ON m.customer_id = k.customer_id AND m.id = k.issued_by
  WHERE k.digest = $1 AND k.revoked_at IS NULL AND m.disabled_at IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > now())`,
}

/** In SQL, of the row of `sessions` that the text names: whether the session has not ended by itself. */
export function isLive(session: string): string {
  return `(${session}.last_seen_at > now() - interval '${SESSION_IDLE_SECONDS} seconds'
    AND ${session}.created_at > now() - interval '${SESSION_SECONDS} seconds')`
}

const SESSION_CALLER = {
  name: 'session-caller',
  text: `
  SELECT s.customer_id, c.name AS customer_name, c.domain AS customer_domain, m.id, m.name, m.email, m.roles,
    array(SELECT p.id FROM billing_profiles p WHERE p.customer_id = m.customer_id
      AND (m.billing_profiles IS NULL OR p.id = ANY(m.billing_profiles)) ORDER BY p.id) AS billing_profiles,
    s.last_seen_at < now() - interval '1 minute' AS stale
  FROM sessions s
  JOIN members m ON m.customer_id = s.customer_id AND m.id = s.member_id
  JOIN customers c ON c.id = s.customer_id
  WHERE s.digest = $1 AND m.disabled_at IS NULL AND ${isLive('s')}`,
}

/**
 * The caller behind an API key's digest; undefined where it is unknown, revoked, expired, or its
 * issuer is disabled. A key holds at most the roles and billing profiles that its issuer holds now.
 */
export async function findKeyCaller(digest: string): Promise<Caller | undefined> {
  const { access } = database()
  const { rows } = await access.query<CallerRow>({ ...KEY_CALLER, values: [digest] })
  const row = rows[0]
  if (row?.stale) await access.query('UPDATE api_keys SET last_used_at = now() WHERE digest = $1', [digest])
  return row && callerOf(row, 'key')
}

/** The caller behind a session's digest, while it lives. */
export async function findSessionCaller(digest: string): Promise<Caller | undefined> {
  const { access } = database()
  const { rows } = await access.query<CallerRow>({ ...SESSION_CALLER, values: [digest] })
  const row = rows[0]
  if (row?.stale) await access.query('UPDATE sessions SET last_seen_at = now() WHERE digest = $1', [digest])
  return row && { ...callerOf(row, 'session'), session: digest }
}

/** What sign-in compares: the member with this address in any case; undefined also when disabled. */
export function findSignIn(
  email: string,
): Promise<{ customerId: CustomerId; memberId: string; passwordHash: string | null } | undefined> {
  return lookUp(async (access) => {
    const { rows } = await access.execute<{
      customer_id: string
      id: string
      password_hash: string | null
    }>(sql`
      SELECT customer_id, id, password_hash FROM members
      WHERE lower(email) = lower(${email}) AND disabled_at IS NULL`)
    const row = rows[0]
    return row && { customerId: minted(row.customer_id), memberId: row.id, passwordHash: row.password_hash }
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

/** All customers in the order in which they were added, for the operator's commands. */
export function listCustomers(): Promise<{ customerId: CustomerId; name: string; domain: string }[]> {
  return lookUp(async (access) => {
    const { rows } = await access.execute<{ id: string; name: string; domain: string }>(sql`
      SELECT id, name, domain FROM customers ORDER BY created_at, id`)
    return rows.map((row) => ({ customerId: minted(row.id), name: row.name, domain: row.domain }))
  })
}

/** For a customer that is being added: its id, to enter `scope` with. */
export function newCustomerId(id: string): CustomerId {
  return minted(id)
}

function callerOf(row: CallerRow, via: Caller['via']): Caller {
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
