import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { findAddress } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { isNotDeleted, minted, queryWithoutCustomer } from '#lib/platform/caller/store.ts'
import { countsAt, type Factor } from '../factors/rules.ts'
import type { Membership, Person } from './rules.ts'
import { issuerDigest } from './session-credential.ts'

// An email address belongs to one person, who may be a member of several customers. Runs as the database role of sign-in,
// the only one that can read passwords and memberships at several customers: no customer learns of the others.

type Row = {
  person_id: string | null
  person_hash: string | null
  customer_id: string
  customer_name: string
  customer_domain: string
  id: string
  name: string
  email: string
  password_hash: string | null
  is_disabled: boolean
  is_removed: boolean
  is_invited: boolean
  is_known: boolean
  is_sign_on_only: boolean
  issuers: [provider: string, subject: string][]
  demands_factor: boolean
  factors_reset_at: string | null
  factors_apart: boolean
  is_closed: boolean
  factors: FactorRow[]
}

type FactorRow = Omit<Factor, 'createdAt'> & { createdAt: string }

/**
 * Finds the person with this address, ignoring case; undefined where the address is unknown or all of its memberships
 * are disabled.
 * @param browser digest of the browser's device cookie, where it has one
 */
export async function findPerson(email: string, browser?: string): Promise<Person | undefined> {
  const person = await find(sql`${email}`, browser)
  return person?.memberships.some(({ isDisabled }) => !isDisabled) ? person : undefined
}

/** Like `findPerson`, but also finds a person whose memberships are all disabled. */
export function findAnybody(email: string): Promise<Person | undefined> {
  return find(sql`${email}`)
}

/** Finds a person by id, with all memberships. */
export function findPersonById(personId: string, browser?: string): Promise<Person | undefined> {
  return find(sql`(SELECT email FROM people WHERE id = ${personId})`, browser)
}

/** Finds the person behind a customer's member, with all memberships. */
export function findPersonOf(
  customerId: CustomerId,
  memberId: string,
  browser?: string,
): Promise<Person | undefined> {
  const email = sql`(SELECT email FROM members WHERE customer_id = ${customerId} AND id = ${memberId})`
  return find(email, browser)
}

async function find(whose: SQL, browser = ''): Promise<Person | undefined> {
  const { email, customers, ids } = await findAddress(whose)
  return queryWithoutCustomer('signIn', async (tx) => {
    const { rows } = await tx.execute<Row>(sql`
      SELECT p.id AS person_id, p.password_hash AS person_hash, m.customer_id, c.name AS customer_name,
        c.domain AS customer_domain, m.id, m.name,
        m.email, m.password_hash, m.disabled_at IS NOT NULL AS is_disabled,
        m.removed_at IS NOT NULL AS is_removed, m.invited_at IS NOT NULL AS is_invited,
        c.sign_on_only_since IS NOT NULL AS is_sign_on_only,
        (SELECT coalesce(json_agg(json_build_array(s.provider_id, s.subject)), '[]') FROM sign_on_subjects s
          JOIN identity_providers i ON i.customer_id = s.customer_id AND i.id = s.provider_id AND i.off_at IS NULL
          WHERE s.customer_id = m.customer_id AND s.member_id = m.id) AS issuers,
        EXISTS (SELECT FROM known_browsers b
          WHERE b.customer_id = m.customer_id AND b.member_id = m.id AND b.digest = ${browser}) AS is_known,
        c.demands_factor, m.factors_reset_at, m.factors_apart, c.gone_at IS NOT NULL AS is_closed, coalesce((
          SELECT json_agg(json_build_object('id', f.id, 'kind', f.kind, 'name', f.name, 'reach', f.reach,
            'createdAt', f.created_at, 'credential', f.credential, 'transports', f.transports) ORDER BY f.created_at, f.id)
          FROM second_factors f WHERE f.person_id = p.id), '[]') AS factors
      FROM members m JOIN customers c ON c.id = m.customer_id
      LEFT JOIN people p ON lower(p.email) = lower(m.email)
      WHERE m.customer_id = ANY(${sql.param(customers)}::text[]) AND m.id = ANY(${sql.param(ids)}::text[])
        AND lower(m.email) = lower(${email}) AND ${sql.raw(isNotDeleted('c'))} ORDER BY lower(c.name), m.customer_id`)
    const [first] = rows
    if (!first) return undefined
    const { person_id: personId, person_hash: passwordHash } = first
    const factors = first.factors.map((one) => ({ ...one, createdAt: new Date(one.createdAt) }))
    return { personId, passwordHash, factors, memberships: rows.map((row) => membershipOf(row, factors)) }
  })
}

function membershipOf(row: Row, all: readonly Factor[]): Membership {
  const factorsResetAt = row.factors_reset_at === null ? null : new Date(row.factors_reset_at)
  const isIsolated = row.factors_apart
  const factorContext = { customerId: row.customer_id, factorsResetAt, isIsolated }
  return {
    customerId: minted(row.customer_id),
    customerName: row.customer_name,
    customerDomain: row.customer_domain,
    memberId: row.id,
    name: row.name,
    email: row.email,
    // The person's password and factors do not open an isolated membership.
    passwordHash: row.password_hash ?? (isIsolated ? null : row.person_hash),
    isOwn: row.password_hash !== null,
    isDisabled: row.is_disabled,
    isRemoved: row.is_removed,
    isInvited: row.is_invited,
    isRecognized: row.is_known,
    isSignOnOnly: row.is_sign_on_only,
    issuerDigests: row.issuers.map(([provider, subject]) => issuerDigest(provider, subject)),
    factors: all.filter((one) => countsAt(one, factorContext)),
    demandsFactor: row.demands_factor,
    factorsResetAt,
    isIsolated,
    isClosed: row.is_closed,
  }
}
