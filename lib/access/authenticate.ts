import 'server-only'
import { Problem } from '#lib/api/problem.ts'
import { database } from '#lib/db/client.ts'
import { countStranger } from '#lib/history/strangers.ts'
import { noteCaller } from '#lib/visit.ts'
import { digestOf, looksLikeApiKey } from './api-key.ts'
import type { Caller } from './rules.ts'
import { session } from './session-cookie.ts'
import { isNotGone, lookUpCaller, provenCaller } from './store.ts'

/**
 * Who is calling: the bearer key where there is an Authorization header, which then alone decides;
 * else the signed-in session; else nobody.
 * @throws Problem `unauthenticated` for a header that holds no valid key
 */
export async function authenticate(headers: {
  get(name: string): string | null
}): Promise<Caller | undefined> {
  const authorization = headers.get('authorization')
  if (authorization === null) return session(headers)
  const key = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  const caller = key && looksLikeApiKey(key) ? await findKeyCaller(digestOf(key)) : undefined
  if (caller) {
    noteCaller(caller)
    return caller
  }
  countStranger('unknown-key')
  throw new Problem('unauthenticated', 'The API key is not valid: it is unknown, expired or revoked.', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
}

export const KEY_CALLER = `
  SELECT k.customer_id, c.name AS customer_name, c.domain AS customer_domain, k.id, k.name,
    coalesce(m.email, c.contact_email) AS email,
    CASE WHEN k.issued_by IS NULL OR m.roles @> '{admin}' THEN k.roles
         ELSE array(SELECT unnest(k.roles) INTERSECT SELECT unnest(m.roles)) END AS roles,
    array(SELECT p.id FROM billing_profiles p WHERE p.customer_id = k.customer_id
      AND (k.billing_profiles IS NULL OR p.id = ANY(k.billing_profiles))
      AND (m.billing_profiles IS NULL OR p.id = ANY(m.billing_profiles)) ORDER BY p.id) AS billing_profiles,
    (k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute') AS stale, c.closed_at, c.gone_at
  FROM api_keys k
  JOIN customers c ON c.id = k.customer_id
  LEFT JOIN members m ON m.customer_id = k.customer_id AND m.id = k.issued_by
  WHERE k.digest = $1 AND k.revoked_at IS NULL AND m.disabled_at IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > now()) AND ${isNotGone('c')}`

/**
 * The caller behind an API key's digest; undefined where it is unknown, revoked, expired, or its
 * issuer is disabled. A key holds at most the roles and billing profiles that its issuer holds now.
 */
export async function findKeyCaller(digest: string): Promise<Caller | undefined> {
  const row = await lookUpCaller(database().keys, KEY_CALLER, digest)
  if (row?.stale)
    await database().keys.query('UPDATE api_keys SET last_used_at = now() WHERE digest = $1', [digest])
  return row && provenCaller(row, 'key')
}
