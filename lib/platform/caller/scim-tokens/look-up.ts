import 'server-only'
import { database } from '#lib/platform/db/client.ts'
import { digestOf } from '../api-key.ts'
import { findRow } from '../look-ups/find.ts'
import type { Caller } from '../rules.ts'
import { type CallerRow, isNotGone, lookUpTogether, provenCaller } from '../store.ts'
import { looksLikeScimToken } from './secret.ts'

const SCIM_CALLER = `
  SELECT t.customer_id, c.name AS customer_name, c.domain AS customer_domain, t.id, 'SCIM token ' || t.name AS name,
    c.contact_email AS email, t.roles, '{}'::text[] AS billing_profiles,
    (t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute') AS stale, c.closed_at, c.gone_at
  FROM scim_tokens t JOIN customers c ON c.id = t.customer_id
  WHERE t.customer_id = $1 AND t.id = $2 AND t.digest = $3 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
    AND ${isNotGone('c')}`

// Somebody may hold the row: nobody is kept out for the sake of this.
const USED = `
  UPDATE scim_tokens SET last_used_at = now() WHERE customer_id = $1 AND (customer_id, id) IN
    (SELECT customer_id, id FROM scim_tokens WHERE customer_id = $1 AND id = $2 FOR NO KEY UPDATE SKIP LOCKED)`

/**
 * The caller behind the token of a directory; undefined where it is none, unknown, revoked or expired. Its roles are what it
 * may give to members; it sees no billing profile.
 */
export async function findScimCaller(token: string): Promise<Caller | undefined> {
  if (!looksLikeScimToken(token)) return undefined
  const digest = digestOf(token)
  const { keys } = database()
  const row = await findRow('scim-token', digest, async ({ customerId, id }) => {
    const rows = await lookUpTogether<CallerRow>(keys, SCIM_CALLER, [customerId, id, digest])
    return rows[0]
  })
  if (row?.stale) await keys.query(USED, [row.customer_id, row.id])
  return row && provenCaller(row, 'scim')
}
