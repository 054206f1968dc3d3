import 'server-only'
import { sql } from 'drizzle-orm'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { queryWithoutCustomer } from '#lib/platform/caller/store.ts'
import type { Factor } from '../factors/rules.ts'
import {
  type Membership,
  openedBy,
  openedByIssuer,
  openedByPasskey,
  type Person,
  passwordsOf,
} from './rules.ts'

// Stored form of the credential that opened a session (password, identity provider or passkey), and the memberships
// that it opens.

/** Returns the stored form of a password credential: it only shows whether the password is still the same. */
export function passwordDigest(passwordHash: string): string {
  return digestOf(`password ${passwordHash}`)
}

/**
 * Returns the stored form of an identity provider's credential: it identifies the subject there, and opens nothing by
 * itself.
 */
export function issuerDigest(providerId: string, subject: string): string {
  return digestOf(`issuer ${providerId} ${subject}`)
}

/** Returns the stored form of a passkey credential. */
export function passkeyDigest({ credential }: Pick<Factor, 'credential'>): string {
  return digestOf(`passkey ${credential}`)
}

/**
 * Returns the memberships that a credential opens now: none where the password was changed, the issuer removed, or the
 * passkey removed since.
 */
export function openedByCredential(credentialDigest: string, person: Person): Membership[] {
  const byIssuer = openedByIssuer(credentialDigest, person)
  if (byIssuer.length > 0) return byIssuer
  const passkey = person.factors.find(
    (one) => one.kind === 'passkey' && passkeyDigest(one) === credentialDigest,
  )
  if (passkey) return openedByPasskey(passkey, person)
  const hash = passwordsOf(person).find((one) => passwordDigest(one) === credentialDigest)
  return hash === undefined ? [] : openedBy(hash, person)
}

/** Credential that opened a session, and the time when the first session of its sign-in was opened. */
export type SessionCredential = {
  customerId: CustomerId
  memberId: string
  proof: string
  proven: readonly string[]
  since: Date
}

/**
 * Finds the credential that opened a customer's session; undefined for sessions of an older release that did not store
 * it.
 */
export function findSessionCredential(
  customerId: CustomerId,
  session: string,
): Promise<SessionCredential | undefined> {
  return queryWithoutCustomer('signIn', async (tx) => {
    const { rows } = await tx.execute<{
      member_id: string
      proof: string
      proven: string[] | null
      since: string
    }>(sql`
      SELECT member_id, proof, proven, created_at AS since FROM sessions
      WHERE customer_id = ${customerId} AND digest = ${session} AND proof IS NOT NULL`)
    const [row] = rows
    if (!row) return undefined
    const { member_id: memberId, proof, proven, since } = row
    return {
      customerId,
      memberId,
      proof,
      proven: proven ?? ['password'],
      since: new Date(since),
    }
  })
}
