import 'server-only'
import { database } from '#lib/db/client.ts'
import { digestOf } from '../api-key.ts'
import type { Caller, CustomerId } from '../rules.ts'
import { isNotGone, lookUpCaller, minted, provenCaller } from '../store.ts'
import { looksLikeScimToken } from './secret.ts'

const SCIM_CALLER = `
  SELECT t.customer_id, c.name AS customer_name, c.domain AS customer_domain, t.id, 'SCIM token ' || t.name AS name,
    c.contact_email AS email, t.roles, '{}'::text[] AS billing_profiles,
    (t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute') AS stale, c.closed_at, c.gone_at
  FROM scim_tokens t JOIN customers c ON c.id = t.customer_id
  WHERE t.digest = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
    AND ${isNotGone('c')}`

// Somebody may hold the row: nobody is kept out for the sake of this.
const USED = `
  UPDATE scim_tokens SET last_used_at = now() WHERE (customer_id, id) IN
    (SELECT customer_id, id FROM scim_tokens WHERE digest = $1 FOR NO KEY UPDATE SKIP LOCKED)`

/**
 * The caller behind the token of a directory; undefined where it is none, unknown, revoked or expired. Its roles are what it
 * may give to members; it sees no billing profile.
 */
export async function findScimCaller(token: string): Promise<Caller | undefined> {
  if (!looksLikeScimToken(token)) return undefined
  const digest = digestOf(token)
  const { keys } = database()
  const row = await lookUpCaller(keys, SCIM_CALLER, digest)
  if (row?.stale) await keys.query(USED, [digest])
  return row && provenCaller(row, 'scim')
}

/** The tokens with these digests that were not revoked, of whichever customers: for who shows them. */
export async function findScimTokens(
  digests: readonly string[],
): Promise<{ customerId: CustomerId; id: string }[]> {
  const { rows } = await database().keys.query<{ customer_id: string; id: string }>(
    'SELECT customer_id, id FROM scim_tokens WHERE digest = ANY($1) AND revoked_at IS NULL ORDER BY customer_id, id',
    [digests],
  )
  return rows.map((row) => ({ customerId: minted(row.customer_id), id: row.id }))
}
