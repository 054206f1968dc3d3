import 'server-only'
import { database } from '#lib/db/client.ts'
import { digestOf } from '../api-key.ts'
import type { Caller, CustomerId } from '../rules.ts'
import { lookUpCaller, minted } from '../store.ts'
import { looksLikeFeedSecret } from './secret.ts'

/** The member whose calendar asks, with what they may see now. It signs nobody in, and is no caller of the API. */
export type FeedOwner = Pick<Caller, 'customerId' | 'customerName' | 'roles' | 'billingProfiles'>

// As for a session, but for a customer that is closed: nobody decides about its renewals any more.
const FEED_OWNER = `
  SELECT f.customer_id, c.name AS customer_name, m.roles,
    array(SELECT p.id FROM billing_profiles p WHERE p.customer_id = m.customer_id
      AND (m.billing_profiles IS NULL OR p.id = ANY(m.billing_profiles)) ORDER BY p.id) AS billing_profiles,
    (f.last_read_at IS NULL OR f.last_read_at < now() - interval '1 minute') AS stale
  FROM calendar_feeds f
  JOIN members m ON m.customer_id = f.customer_id AND m.id = f.member_id
  JOIN customers c ON c.id = f.customer_id
  WHERE f.digest = $1 AND m.disabled_at IS NULL AND c.closed_at IS NULL`

// Somebody may hold the row: no calendar waits for the sake of this.
const READ = `
  UPDATE calendar_feeds SET last_read_at = now() WHERE (customer_id, member_id) IN
    (SELECT customer_id, member_id FROM calendar_feeds WHERE digest = $1 FOR NO KEY UPDATE SKIP LOCKED)`

/**
 * Whose link has this secret; undefined where it is none, unknown, replaced or revoked, its member is disabled, or the
 * customer is closed. Looked up anew each time, so that it ends with them.
 */
export async function findFeedOwner(secret: string): Promise<FeedOwner | undefined> {
  if (!looksLikeFeedSecret(secret)) return undefined
  const digest = digestOf(secret)
  const { keys } = database()
  const row = await lookUpCaller(keys, FEED_OWNER, digest)
  if (row?.stale) await keys.query(READ, [digest])
  if (!row) return undefined
  const { customer_name: customerName, roles, billing_profiles: billingProfiles } = row
  return { customerId: minted(row.customer_id), customerName, roles, billingProfiles }
}

/** Whose links these are, of whichever customers: for who shows their secrets. Those that open nothing are left out. */
export async function findFeeds(
  secrets: readonly string[],
): Promise<{ customerId: CustomerId; memberId: string; secret: string }[]> {
  const byDigest = new Map(secrets.map((secret) => [digestOf(secret), secret]))
  if (byDigest.size === 0) return []
  const { rows } = await database().keys.query<{ customer_id: string; member_id: string; digest: string }>(
    `SELECT customer_id, member_id, digest FROM calendar_feeds WHERE digest = ANY($1) ORDER BY customer_id, member_id`,
    [[...byDigest.keys()]],
  )
  return rows.map(({ customer_id, member_id: memberId, digest }) => {
    return { customerId: minted(customer_id), memberId, secret: byDigest.get(digest) ?? '' }
  })
}
