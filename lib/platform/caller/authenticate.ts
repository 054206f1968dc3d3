import 'server-only'
import { randomUUID } from 'node:crypto'
import { Problem } from '#lib/platform/api/problem.ts'
import { database } from '#lib/platform/db/client.ts'
import { ANONYMOUS } from '#lib/platform/history/audit.ts'
import { countAnonymousRejection, recordRejection } from '#lib/platform/history/requests.ts'
import { noteCaller, requestContext } from '#lib/platform/runtime/log.ts'
import { digestOf, findRow, hasApiKeyFormat, hasScimTokenFormat } from './credentials.ts'
import { isWithin } from './limits/addresses.ts'
import type { ApiSurface, Caller } from './rules.ts'
import { session } from './session.ts'
import { type CallerRow, isNotDeleted, queryWithoutCustomerPipelined, verifiedCaller } from './store.ts'

const SCIM_CALLER = `
  SELECT t.customer_id, c.name AS customer_name, c.domain AS customer_domain, t.id, 'SCIM token ' || t.name AS name,
    c.contact_email AS email, t.roles, '{}'::text[] AS billing_profiles,
    (t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute') AS stale, c.closed_at, c.gone_at
  FROM scim_tokens t JOIN customers c ON c.id = t.customer_id
  WHERE t.customer_id = $1 AND t.id = $2 AND t.digest = $3 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
    AND ${isNotDeleted('c')}`

// Somebody may hold the row: nobody is kept out for the sake of this.
const SCIM_TOKEN_USED = `
  UPDATE scim_tokens SET last_used_at = now() WHERE customer_id = $1 AND (customer_id, id) IN
    (SELECT customer_id, id FROM scim_tokens WHERE customer_id = $1 AND id = $2 FOR NO KEY UPDATE SKIP LOCKED)`

/**
 * The caller behind the token of a directory; undefined where it is none, unknown, revoked or expired. Its roles are what it
 * may give to members; it sees no billing profile.
 */
export async function findScimCaller(token: string): Promise<Caller | undefined> {
  if (!hasScimTokenFormat(token)) return undefined
  const digest = digestOf(token)
  const { keys } = database()
  const row = await findRow('scim-token', digest, async ({ customerId, id }) => {
    const rows = await queryWithoutCustomerPipelined<CallerRow>(keys, SCIM_CALLER, [customerId, id, digest])
    return rows[0]
  })
  if (row?.stale) await keys.query(SCIM_TOKEN_USED, [row.customer_id, row.id])
  return row && verifiedCaller(row, 'scim')
}

/** Said of each that opens nothing: who has found a key is not told that it would open something elsewhere. */
const NOT_VALID: Record<ApiSurface, string> = {
  api: 'The API key is not valid: it is unknown, expired or revoked, or it may not be used from this address.',
  scim: 'The token is not valid: it is unknown, expired or revoked.',
}

/**
 * Who is calling: the bearer key where there is an Authorization header, which then alone decides;
 * else the signed-in session; else nobody. At the door of SCIM it is its token, and nothing else opens it.
 * @throws Problem `unauthenticated` for a header that holds no valid key
 */
export async function authenticate(
  headers: { get(name: string): string | null },
  surface: ApiSurface = 'api',
): Promise<Caller | undefined> {
  const authorization = headers.get('authorization')
  if (authorization === null) return surface === 'api' ? session(headers) : undefined
  const key = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  const caller = key === undefined ? undefined : await BEHIND[surface](key)
  if (caller) {
    noteCaller(caller)
    return caller
  }
  countAnonymousRejection('unknown-key')
  throw new Problem('unauthenticated', NOT_VALID[surface], {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
}

const BEHIND: Record<ApiSurface, (secret: string) => Promise<Caller | undefined>> = {
  api: async (key) => (hasApiKeyFormat(key) ? findKeyCaller(digestOf(key)) : undefined),
  scim: findScimCaller,
}

/** The callers behind the API keys of the customer `$1` that open something now. Each table names it: all lie at one place. */
export const KEY_CALLERS = `
  SELECT k.customer_id, c.name AS customer_name, c.domain AS customer_domain, k.id, k.name,
    coalesce(m.email, c.contact_email) AS email,
    CASE WHEN k.issued_by IS NULL OR k.belongs_to_customer OR m.roles @> '{admin}' THEN k.roles
         ELSE array(SELECT unnest(k.roles) INTERSECT SELECT unnest(m.roles)) END AS roles,
    array(SELECT p.id FROM billing_profiles p WHERE p.customer_id = $1
      AND (k.billing_profiles IS NULL OR p.id = ANY(k.billing_profiles))
      AND (k.belongs_to_customer OR m.billing_profiles IS NULL OR p.id = ANY(m.billing_profiles))
      ORDER BY p.id) AS billing_profiles,
    k.addresses, (k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute') AS stale,
    c.closed_at, c.gone_at
  FROM api_keys k
  JOIN customers c ON c.id = k.customer_id
  LEFT JOIN members m ON m.customer_id = k.customer_id AND m.customer_id = $1 AND m.id = k.issued_by
  WHERE k.customer_id = $1 AND c.id = $1 AND k.revoked_at IS NULL AND (k.belongs_to_customer OR m.disabled_at IS NULL)
    AND (k.expires_at IS NULL OR k.expires_at > now()) AND ${isNotDeleted('c')}`

/** Of the key with the id `$2` and the digest `$3`. */
export const KEY_CALLER = `${KEY_CALLERS} AND k.id = $2 AND k.digest = $3`

const KEY_USED =
  'UPDATE api_keys SET last_used_at = now(), last_used_address = $3 WHERE customer_id = $1 AND id = $2'

/**
 * The caller behind an API key's digest; undefined where it is unknown, revoked, expired, limited to other addresses than
 * that of the request, or its issuer is disabled. A key holds at most the roles and billing profiles that its issuer holds
 * now; one that belongs to the customer holds its own.
 */
export async function findKeyCaller(digest: string): Promise<Caller | undefined> {
  const { keys } = database()
  const row = await findRow('key', digest, async ({ customerId, id }) => {
    const rows = await queryWithoutCustomerPipelined<CallerRow>(keys, KEY_CALLER, [customerId, id, digest])
    return rows[0]
  })
  if (!row) return undefined
  const caller = verifiedCaller(row, 'key')
  const { address = '' } = requestContext() ?? {}
  if (row.addresses && !isWithin(address, row.addresses)) {
    auditDisallowedAddress(caller)
    return undefined
  }
  if (row.stale) await keys.query(KEY_USED, [row.customer_id, row.id, address || null])
  return caller
}

/**
 * Writes down that a key was used from where it may not be, once a minute. Not waited for, since the time of the answer
 * would tell that there is such a key.
 */
function auditDisallowedAddress({ customerId, id, name }: Caller): void {
  const requestId = requestContext()?.requestId ?? randomUUID()
  const event = { action: 'key.refused', subject: id, actor: ANONYMOUS, requestId, details: { name } }
  recordRejection(customerId, event)
}
