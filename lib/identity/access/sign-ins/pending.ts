import 'server-only'
import { randomBytes } from 'node:crypto'
import { cookieValue, setCookie } from '#lib/platform/caller/cookies.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { database } from '#lib/platform/db/client.ts'
import { type Issued, sealFor, unsealFor } from '../sign-on/sealed.ts'

// A pending sign-in is a short-lived row, between a verified credential and a session, with a cookie of its own in the
// browser. No operation of the API reads that cookie.

const SECONDS = 10 * 60
/** Most attempts at further steps after one verified credential. */
const MAX_TRIES = 10

/** Sign-in with a verified credential and without a session yet. */
export type Pending = {
  digest: string
  personId: string
  /** Digest of the first verified credential, which determines the memberships. */
  proof: string
  /**
   * All verified methods: `password`, `passkey`, `issuer`, and second factors in the format of
   * lib/identity/access/factors/rules.ts.
   */
  proven: readonly string[]
  /** Chosen customer, for which another verification is required. */
  picked?: string | undefined
}

/** Stores a pending sign-in. @returns the id for the browser's cookie */
export async function addPending({
  personId,
  proof,
  proven,
  picked,
  issued,
}: Omit<Pending, 'digest'> & { issued?: Issued | undefined }): Promise<string> {
  const id = randomBytes(32).toString('base64url')
  const digest = digestOf(`pending ${id}`)
  const sealed = issued && sealFor(digest, issued.idToken)
  await database().signIn.query(
    `INSERT INTO pending_sign_ins (digest, person_id, proof, proven, picked, provider_id, id_token)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [digest, personId, proof, proven, picked ?? null, issued?.providerId ?? null, sealed ?? null],
  )
  return id
}

/** Finds the pending sign-in of a request's cookie, until it expires. */
export async function findPending(cookies: string): Promise<Pending | undefined> {
  const id = cookieValue(cookies, 'pending')
  if (!id) return undefined
  const { rows } = await database().signIn.query<Pending & { picked: string | null }>(
    `SELECT digest, person_id AS "personId", proof, proven, picked FROM pending_sign_ins WHERE digest = $1 AND ${IS_OPEN}`,
    [digestOf(`pending ${id}`)],
  )
  return rows[0] && { ...rows[0], picked: rows[0].picked ?? undefined }
}

/**
 * Stores further verified methods, or the chosen customer.
 * @returns the updated sign-in; undefined where it has ended
 */
export async function furtherPending(
  pending: Pending,
  { proven = [], picked = pending.picked }: { proven?: readonly string[]; picked?: string | undefined },
): Promise<Pending | undefined> {
  const { rows } = await database().signIn.query<{ proven: string[] }>(
    `UPDATE pending_sign_ins SET picked = $2, proven = proven || $3::text[] WHERE digest = $1 RETURNING proven`,
    [pending.digest, picked ?? null, proven],
  )
  return rows[0] && { ...pending, picked, proven: rows[0].proven }
}

/** Counts an attempt at a step. @returns false where there were too many, or the sign-in has ended */
export async function countStep({ digest }: Pending): Promise<boolean> {
  const step = `UPDATE pending_sign_ins SET tries = tries + 1 WHERE digest = $1 AND ${IS_OPEN}`
  return (await database().signIn.query(step, [digest])).rowCount === 1
}

/**
 * Ends a pending sign-in that results in a session.
 * @returns the ID token, where an identity provider has issued one; undefined where another request has ended the
 * sign-in (only one of two concurrent requests succeeds), or where SESSION_SECRET was changed
 */
export async function endPending({ digest }: Pending): Promise<{ issued?: Issued } | undefined> {
  const { rows } = await database().signIn.query<{ providerId: string | null; sealed: string | null }>(
    `DELETE FROM pending_sign_ins WHERE digest = $1 RETURNING provider_id AS "providerId", id_token AS sealed`,
    [digest],
  )
  const [row] = rows
  if (!row) return undefined
  const { providerId, sealed } = row
  if (providerId === null || sealed === null) return {}
  const idToken = unsealFor(digest, sealed)
  return idToken === undefined ? undefined : { issued: { providerId, idToken } }
}

/** Removes expired pending sign-ins. @returns how many */
export async function prunePending(): Promise<number> {
  const old = `DELETE FROM pending_sign_ins WHERE created_at < now() - interval '${SECONDS} seconds'`
  return (await database().signIn.query(old)).rowCount ?? 0
}

/** Returns the Set-Cookie header that stores the id in a browser, or deletes it. */
export function pendingCookie(id: string | undefined): string {
  return setCookie('pending', id ?? '', id === undefined ? 0 : SECONDS)
}

const IS_OPEN = `created_at > now() - interval '${SECONDS} seconds' AND tries < ${MAX_TRIES}`
