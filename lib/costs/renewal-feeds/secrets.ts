import 'server-only'
import { digestOf, findAll, findRow, hasSecretFormat, newSecret } from '#lib/platform/caller/credentials.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { type CallerRow, minted, queryWithoutCustomerPipelined } from '#lib/platform/caller/store.ts'
import { database } from '#lib/platform/db/client.ts'

const PREFIX = 'cal_'

/** A new secret for the link of a calendar: `cal_`, and what API keys have after theirs. */
export function newFeedSecret(): string {
  return newSecret(PREFIX)
}

/** Whether text can be such a secret at all: what somebody guesses costs no query. */
export function hasFeedSecretFormat(text: string): boolean {
  return hasSecretFormat(PREFIX, text)
}

/** The member whose calendar asks, with what they may see now. It signs nobody in, and is no caller of the API. */
export type FeedOwner = Pick<Caller, 'customerId' | 'customerName' | 'roles' | 'billingProfiles'>

// As for a session, but for a customer that is closed: nobody decides about its renewals any more.
const FEED_OWNER = `
  SELECT f.customer_id, c.name AS customer_name, m.roles,
    array(SELECT p.id FROM billing_profiles p WHERE p.customer_id = $1
      AND (m.billing_profiles IS NULL OR p.id = ANY(m.billing_profiles)) ORDER BY p.id) AS billing_profiles,
    (f.last_read_at IS NULL OR f.last_read_at < now() - interval '1 minute') AS stale
  FROM calendar_feeds f
  JOIN members m ON m.customer_id = f.customer_id AND m.id = f.member_id
  JOIN customers c ON c.id = f.customer_id
  WHERE f.customer_id = $1 AND m.customer_id = $1 AND c.id = $1 AND f.member_id = $2 AND f.digest = $3 AND m.disabled_at IS NULL AND c.closed_at IS NULL`

// Somebody may hold the row: no calendar waits for the sake of this.
const READ = `
  UPDATE calendar_feeds SET last_read_at = now() WHERE customer_id = $1 AND (customer_id, member_id) IN
    (SELECT customer_id, member_id FROM calendar_feeds WHERE customer_id = $1 AND member_id = $2 AND digest = $3
     FOR NO KEY UPDATE SKIP LOCKED)`

/**
 * Whose link has this secret; undefined where it is none, unknown, replaced or revoked, its member is disabled, or the
 * customer is closed. Looked up anew each time, so that it ends with them.
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

/** Whose links these are, of whichever customers: for who shows their secrets. Those that open nothing are left out. */
export async function findFeeds(
  secrets: readonly string[],
): Promise<{ customerId: CustomerId; memberId: string; secret: string }[]> {
  const byDigest = new Map(secrets.map((secret) => [digestOf(secret), secret]))
  const all = await findAll('calendar-feed', [...byDigest.keys()])
  return all.map(({ customerId, id: memberId, digest }) => {
    return { customerId, memberId, secret: byDigest.get(digest) ?? '' }
  })
}
