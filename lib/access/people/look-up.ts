import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { digestOf } from '../api-key.ts'
import { countsAt, type Factor } from '../factors/rules.ts'
import type { CustomerId } from '../rules.ts'
import { lookUp, minted } from '../store.ts'
import { type Membership, openedBy, openedByPasskey, type Person, passwordsOf } from './rules.ts'

// Looked up as the login of sign-in, which alone sees passwords, and who is a member of several customers.

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
  is_invited: boolean
  is_known: boolean
  demands_factor: boolean
  factors_reset_at: string | null
  factors: FactorRow[]
}

type FactorRow = Omit<Factor, 'createdAt'> & { createdAt: string }

/**
 * Whoever has this address in any case; undefined where nobody has, and where all of their memberships are disabled.
 * @param browser digest of the browser's mark, where it has one
 */
export async function findPerson(email: string, browser?: string): Promise<Person | undefined> {
  const person = await find(sql`${email}`, browser)
  return person?.memberships.some(({ isDisabled }) => !isDisabled) ? person : undefined
}

/** The person with this id, with all memberships. */
export function findPersonById(personId: string, browser?: string): Promise<Person | undefined> {
  return find(sql`(SELECT email FROM people WHERE id = ${personId})`, browser)
}

/** The person behind a customer's member, with all memberships. */
export function findPersonOf(
  customerId: CustomerId,
  memberId: string,
  browser?: string,
): Promise<Person | undefined> {
  const email = sql`(SELECT email FROM members WHERE customer_id = ${customerId} AND id = ${memberId})`
  return find(email, browser)
}

/** What opened a session, and when the first one of its sign-in was opened. */
export type SessionProof = {
  customerId: CustomerId
  memberId: string
  proof: string
  proven: readonly string[]
  since: Date
}

/** Undefined for sessions of a release that did not write it down. */
export function findSessionProof(session: string): Promise<SessionProof | undefined> {
  return lookUp('signIn', async (tx) => {
    const { rows } = await tx.execute<{
      customer_id: string
      member_id: string
      proof: string
      proven: string[] | null
      since: string
    }>(sql`
      SELECT customer_id, member_id, proof, proven, created_at AS since FROM sessions
      WHERE digest = ${session} AND proof IS NOT NULL`)
    const [row] = rows
    if (!row) return undefined
    const { customer_id: customerId, member_id: memberId, proof, proven, since } = row
    return {
      customerId: minted(customerId),
      memberId,
      proof,
      proven: proven ?? ['password'],
      since: new Date(since),
    }
  })
}

/** What is kept of a proof by password: no more than tells whether the password is still the same. */
export function proofOf(passwordHash: string): string {
  return digestOf(`password ${passwordHash}`)
}

/** What is kept of a proof by a passkey alone. */
export function proofOfPasskey({ credential }: Pick<Factor, 'credential'>): string {
  return digestOf(`passkey ${credential}`)
}

/** The memberships that a proof opens now: none where the password is another one by now, or the passkey was removed. */
export function openedByProof(proof: string, person: Person): Membership[] {
  const passkey = person.factors.find((one) => one.kind === 'passkey' && proofOfPasskey(one) === proof)
  if (passkey) return openedByPasskey(passkey, person)
  const hash = passwordsOf(person).find((one) => proofOf(one) === proof)
  return hash === undefined ? [] : openedBy(hash, person)
}

function find(email: SQL, browser = ''): Promise<Person | undefined> {
  return lookUp('signIn', async (tx) => {
    const { rows } = await tx.execute<Row>(sql`
      SELECT p.id AS person_id, p.password_hash AS person_hash, m.customer_id, c.name AS customer_name,
        c.domain AS customer_domain, m.id, m.name,
        m.email, m.password_hash, m.disabled_at IS NOT NULL AS is_disabled, m.invited_at IS NOT NULL AS is_invited,
        EXISTS (SELECT FROM known_browsers b
          WHERE b.customer_id = m.customer_id AND b.member_id = m.id AND b.digest = ${browser}) AS is_known,
        c.demands_factor, m.factors_reset_at, coalesce((
          SELECT json_agg(json_build_object('id', f.id, 'kind', f.kind, 'name', f.name, 'reach', f.reach,
            'createdAt', f.created_at, 'credential', f.credential, 'transports', f.transports) ORDER BY f.created_at, f.id)
          FROM second_factors f WHERE f.person_id = p.id), '[]') AS factors
      FROM members m JOIN customers c ON c.id = m.customer_id
      LEFT JOIN people p ON lower(p.email) = lower(m.email)
      WHERE lower(m.email) = lower(${email}) ORDER BY lower(c.name), m.customer_id`)
    const [first] = rows
    if (!first) return undefined
    const { person_id: personId, person_hash: passwordHash } = first
    const factors = first.factors.map((one) => ({ ...one, createdAt: new Date(one.createdAt) }))
    return { personId, passwordHash, factors, memberships: rows.map((row) => membershipOf(row, factors)) }
  })
}

function membershipOf(row: Row, all: readonly Factor[]): Membership {
  const factorsResetAt = row.factors_reset_at === null ? null : new Date(row.factors_reset_at)
  const place = { customerId: row.customer_id, factorsResetAt }
  return {
    customerId: minted(row.customer_id),
    customerName: row.customer_name,
    customerDomain: row.customer_domain,
    memberId: row.id,
    name: row.name,
    email: row.email,
    passwordHash: row.password_hash ?? row.person_hash,
    isOwn: row.password_hash !== null,
    isDisabled: row.is_disabled,
    isInvited: row.is_invited,
    isKnown: row.is_known,
    factors: all.filter((one) => countsAt(one, place)),
    demandsFactor: row.demands_factor,
    factorsResetAt,
  }
}
