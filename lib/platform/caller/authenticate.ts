import 'server-only'
import { randomUUID } from 'node:crypto'
import { Problem } from '#lib/platform/api/problem.ts'
import { database } from '#lib/platform/db/client.ts'
import { ANONYMOUS } from '#lib/platform/history/audit.ts'
import { countAnonymousRejection, recordRejection } from '#lib/platform/history/requests.ts'
import { noteCaller, requestContext } from '#lib/platform/runtime/log.ts'
import { bearerOf, digestOf, findRow, hasApiKeyFormat, hasScimTokenFormat } from './credentials.ts'
import { isWithin } from './limits/addresses.ts'
import type { ApiSurface, Caller } from './rules.ts'
import { session } from './session.ts'
import {
  type CallerRow,
  DATA_VERSION,
  isNotDeleted,
  queryWithoutCustomerPipelined,
  verifiedCaller,
  visibleProfiles,
} from './store.ts'

const SCIM_CALLER = `
  SELECT t.customer_id, c.name AS customer_name, c.domain AS customer_domain, t.id, 'SCIM token ' || t.name AS name,
    c.contact_email AS email, t.roles, '{}'::text[] AS billing_profiles,
    (t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute') AS stale, c.closed_at, c.gone_at
  FROM scim_tokens t JOIN customers c ON c.id = t.customer_id
  WHERE t.customer_id = $1 AND t.id = $2 AND t.digest = $3 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
    AND ${isNotDeleted('c')}`

// Another transaction may hold the row: authentication must not wait for this update.
const SCIM_TOKEN_USED = `
  UPDATE scim_tokens SET last_used_at = now() WHERE customer_id = $1 AND (customer_id, id) IN
    (SELECT customer_id, id FROM scim_tokens WHERE customer_id = $1 AND id = $2 FOR NO KEY UPDATE SKIP LOCKED)`

/**
 * Returns the caller of a SCIM directory's token; undefined where the token is malformed, unknown, revoked or expired.
 * The caller's roles are those that it may assign to members; it sees no billing profile.
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

/** Detail for every invalid credential: it must not reveal that a stolen key opens another surface. */
const NOT_VALID: Record<ApiSurface, string> = {
  api: 'The API key is not valid: it is unknown, expired or revoked, or it may not be used from this address.',
  scim: 'The token is not valid: it is unknown, expired or revoked.',
}

/**
 * Returns the caller: of the bearer key where there is an Authorization header, which then decides alone; else of the
 * session; else undefined. SCIM accepts SCIM tokens only; calendar feeds have secrets of their own
 * (lib/costs/renewal-feeds).
 * @throws Problem `unauthenticated` (401) for a header without a valid key, even next to a valid session
 */
export async function authenticate(
  headers: { get(name: string): string | null },
  surface: ApiSurface = 'api',
): Promise<Caller | undefined> {
  const authorization = headers.get('authorization')
  if (authorization === null) return surface === 'api' ? session(headers) : undefined
  const key = bearerOf(authorization)
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

/** Billing profiles to which the issuer of a key is limited; a key of the customer's is not. */
const ISSUER_PROFILES = '(CASE WHEN NOT k.belongs_to_customer THEN m.billing_profiles END)'

/**
 * Query for the callers of the customer `$1`'s valid API keys. Each table is filtered by customer, so that all are on
 * one node.
 */
export const KEY_CALLERS = `
  SELECT k.customer_id, c.name AS customer_name, c.domain AS customer_domain, k.id, k.name,
    coalesce(m.email, c.contact_email) AS email,
    CASE WHEN k.issued_by IS NULL OR k.belongs_to_customer OR m.roles @> '{admin}' THEN k.roles
         ELSE array(SELECT unnest(k.roles) INTERSECT SELECT unnest(m.roles)) END AS roles,
    ${visibleProfiles('k.billing_profiles', ISSUER_PROFILES)} AS billing_profiles,
    k.addresses, (k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute') AS stale,
    c.closed_at, c.gone_at, ${DATA_VERSION}
  FROM api_keys k
  JOIN customers c ON c.id = k.customer_id
  LEFT JOIN members m ON m.customer_id = k.customer_id AND m.customer_id = $1 AND m.id = k.issued_by
  WHERE k.customer_id = $1 AND c.id = $1 AND k.revoked_at IS NULL AND (k.belongs_to_customer OR m.disabled_at IS NULL)
    AND (k.expires_at IS NULL OR k.expires_at > now()) AND ${isNotDeleted('c')}`

/** Query for the caller of the key with id `$2` and digest `$3`. */
export const KEY_CALLER = `${KEY_CALLERS} AND k.id = $2 AND k.digest = $3`

// As above: all parallel requests of a minute's first moment would otherwise wait for one row, on connections that
// authenticate every customer's.
const KEY_USED = `
  UPDATE api_keys SET last_used_at = now(), last_used_address = $3 WHERE customer_id = $1 AND (customer_id, id) IN
    (SELECT customer_id, id FROM api_keys WHERE customer_id = $1 AND id = $2 FOR NO KEY UPDATE SKIP LOCKED)`

/**
 * Returns the caller of an API key's digest; undefined if the key is unknown, revoked, expired, or limited to other
 * addresses than the request's, or its issuer is disabled. A key's roles and billing profiles are limited to those that
 * its issuer has now; a key of the customer's has its own.
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
 * Records, at most once a minute, that a key was used from a disallowed address. Not awaited: a timing difference would
 * reveal that the key exists.
 */
function auditDisallowedAddress({ customerId, id, name }: Caller): void {
  const requestId = requestContext()?.requestId ?? randomUUID()
  const event = { action: 'key.refused', subject: id, actor: ANONYMOUS, requestId, details: { name } }
  recordRejection(customerId, event)
}
