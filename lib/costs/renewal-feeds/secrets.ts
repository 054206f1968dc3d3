import 'server-only'
import {
  digestOf,
  findLeaked,
  findRow,
  hasSecretFormat,
  newSecret,
} from '#lib/platform/caller/credentials.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import {
  type CallerRow,
  minted,
  queryWithoutCustomerPipelined,
  visibleProfiles,
} from '#lib/platform/caller/store.ts'
import { database } from '#lib/platform/db/client.ts'

const PREFIX = 'cal_'

/** Returns a new secret for a calendar's link: `cal_` and the same random part as in API keys. */
export function newFeedSecret(): string {
  return newSecret(PREFIX)
}

/** Returns whether text has the format of a secret: a guess in another format costs no query. */
export function hasFeedSecretFormat(text: string): boolean {
  return hasSecretFormat(PREFIX, text)
}

/** Member of the link, with present rights. Neither a signed-in session nor a caller of the API. */
export type FeedOwner = Pick<Caller, 'customerId' | 'customerName' | 'roles' | 'billingProfiles'>

// Like for a session, but without closed customers, whose renewals are no longer decided.
const FEED_OWNER = `
  SELECT f.customer_id, c.name AS customer_name, m.roles,
    ${visibleProfiles('m.billing_profiles')} AS billing_profiles,
    (f.last_read_at IS NULL OR f.last_read_at < now() - interval '1 minute') AS stale
  FROM calendar_feeds f
  JOIN members m ON m.customer_id = f.customer_id AND m.id = f.member_id
  JOIN customers c ON c.id = f.customer_id
  WHERE f.customer_id = $1 AND m.customer_id = $1 AND c.id = $1 AND f.member_id = $2 AND f.digest = $3 AND m.disabled_at IS NULL AND c.closed_at IS NULL`

// Another transaction may hold the row lock: no calendar waits for this update.
const READ = `
  UPDATE calendar_feeds SET last_read_at = now() WHERE customer_id = $1 AND (customer_id, member_id) IN
    (SELECT customer_id, member_id FROM calendar_feeds WHERE customer_id = $1 AND member_id = $2 AND digest = $3
     FOR NO KEY UPDATE SKIP LOCKED)`

/**
 * Returns the member whose link has this secret; undefined where the secret is invalid, unknown, replaced or revoked,
 * the member is disabled, or the customer is closed. Looked up for each request, so that all these take effect
 * immediately.
 */
export async function findFeedOwner(secret: string): Promise<FeedOwner | undefined> {
  if (!hasFeedSecretFormat(secret)) return undefined
  const digest = digestOf(secret)
  const { keys } = database()
  const row = await findRow('calendar-feed', digest, async ({ customerId, id }) => {
    const params = [customerId, id, digest]
    const [row] = await queryWithoutCustomerPipelined<CallerRow>(keys, FEED_OWNER, params)
    if (row?.stale) await keys.query(READ, params)
    return row
  })
  if (!row) return undefined
  const { customer_name: customerName, roles, billing_profiles: billingProfiles } = row
  return { customerId: minted(row.customer_id), customerName, roles, billingProfiles }
}

/** Returns the members of these links, across customers, for reports of leaked secrets. Invalid links are left out. */
export async function findFeeds(
  secrets: readonly string[],
): Promise<{ customerId: CustomerId; memberId: string; secret: string }[]> {
  const byDigest = new Map(secrets.map((secret) => [digestOf(secret), secret]))
  const all = await findLeaked('calendar-feed', [...byDigest.keys()])
  return all.map(({ customerId, id: memberId, digest }) => {
    return { customerId, memberId, secret: byDigest.get(digest) ?? '' }
  })
}
