import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { database } from '#lib/platform/db/client.ts'
import type { Account } from '#lib/vendors/accounts.ts'

// Subscriptions of all customers by their vendors' ids, as the role `console_jobs`: it sees no seats, and may only
// write the times of observation and of the next read.

/** A subscription at a vendor, and the asset that points to it. */
export type TrackedSubscription = {
  customerId: CustomerId
  id: string
  assetId: string
  vendorCustomerId: string
  subscriptionId: string
  skuId: string
  /** Digest of the vendor's last report, where the asset has one. */
  observation: string | null
}

type Named = { vendorCustomerId: string; subscriptionId: string }

const COLUMNS = `v.customer_id AS "customerId", v.id, a.id AS "assetId", v.vendor_customer_id AS "vendorCustomerId",
  v.subscription_id AS "subscriptionId", v.sku_id AS "skuId", v.observation`
/** Excludes assets of closed customers from reads. */
const ofOpen = (row: string) =>
  `EXISTS (SELECT FROM customers c WHERE c.id = ${row}.customer_id AND c.closed_at IS NULL)`
const ITS_ASSET = 'JOIN assets a ON a.customer_id = v.customer_id AND a.vendor_subscription_id = v.id'

/** Returns our subscriptions of a page. Compares ids without letter case: the vendor decides whether ids are equal. */
export async function findTracked(
  { vendor, vendorAccount }: Account,
  listed: readonly Named[],
): Promise<TrackedSubscription[]> {
  const { rows } = await database().jobs.query<TrackedSubscription>(
    `SELECT ${COLUMNS} FROM unnest($3::text[], $4::text[]) AS l (customer, subscription)
     JOIN vendor_subscriptions v ON v.vendor = $1 AND v.account = $2 AND v.released_at IS NULL
       AND v.vendor_customer_key = l.customer AND v.subscription_key = l.subscription
     ${ITS_ASSET}
     WHERE ${ofOpen('v')}`,
    [
      vendor,
      vendorAccount,
      listed.map(({ vendorCustomerId }) => vendorCustomerId.toLowerCase()),
      listed.map(({ subscriptionId }) => subscriptionId.toLowerCase()),
    ],
  )
  return rows
}

/** Notes an unchanged report of subscriptions: all of a page in one statement. */
export async function noteUnchanged(subscriptions: readonly TrackedSubscription[]): Promise<void> {
  if (subscriptions.length === 0) return
  await database().jobs.query(
    `UPDATE vendor_subscriptions v SET observed_at = statement_timestamp()
     FROM unnest($1::text[], $2::text[], $3::text[]) AS t (customer, id, observation)
     WHERE v.customer_id = t.customer AND v.id = t.id AND v.observation = t.observation`,
    [
      subscriptions.map(({ customerId }) => customerId),
      subscriptions.map(({ id }) => id),
      subscriptions.map(({ observation }) => observation),
    ],
  )
}

/** Lease on a due subscription during its read; the lease of a dead process expires. */
const LEASE = '5 minutes'

/**
 * Claims due subscriptions of an account, longest due first, with SKIP LOCKED past rows that are being written. In a
 * distributed database it waits for these rows and then leaves them: locking rows there would lock the customers table
 * as well, which this login may not.
 */
export async function claimDue(
  { vendor, vendorAccount }: Account,
  limit: number,
): Promise<TrackedSubscription[]> {
  const { jobs } = database()
  const { rows: distribution } = await jobs.query<{ spread: boolean }>(
    "SELECT is_spread('invoices') AS spread",
  )
  const isDue = 'released_at IS NULL AND next_read_at <= statement_timestamp()'
  const { rows } = await jobs.query<TrackedSubscription>(
    `WITH due AS (
       SELECT customer_id, id FROM vendor_subscriptions
       WHERE vendor = $1 AND account = $2 AND ${isDue} AND ${ofOpen('vendor_subscriptions')}
       ORDER BY next_read_at LIMIT $3 ${distribution[0]?.spread ? '' : 'FOR UPDATE SKIP LOCKED'}
     ), v AS (
       UPDATE vendor_subscriptions s SET next_read_at = statement_timestamp() + interval '${LEASE}'
       FROM due WHERE s.customer_id = due.customer_id AND s.id = due.id AND ${isDue}
       RETURNING s.*
     ) SELECT ${COLUMNS} FROM v ${ITS_ASSET}`,
    [vendor, vendorAccount, limit],
  )
  return rows
}

/**
 * Makes subscriptions due that a complete pass has missed: their id may have changed. When many are missed, the list is
 * wrong rather than each subscription: at most `limit` become due, of those without a planned read, oldest report
 * first.
 * @param failed the vendor's customers that the pass could not read
 * @returns the total number of missed subscriptions
 */
export async function makeMissedDue(
  { vendor, vendorAccount }: Account,
  beganAt: Date,
  failed: readonly string[],
  limit: number,
): Promise<number> {
  const { rows } = await database().jobs.query<{ missed: number }>(
    `WITH missed AS (
       SELECT customer_id, id, observed_at, next_read_at FROM vendor_subscriptions
       WHERE vendor = $1 AND account = $2 AND released_at IS NULL
         AND ${ofOpen('vendor_subscriptions')}
         AND coalesce(observed_at, '-infinity') < $3 AND created_at < $3 AND vendor_customer_key <> ALL ($4::text[])
     ), due AS (
       UPDATE vendor_subscriptions s SET next_read_at = statement_timestamp()
       FROM (SELECT * FROM missed WHERE next_read_at IS NULL ORDER BY observed_at NULLS FIRST LIMIT $5) m
       WHERE s.customer_id = m.customer_id AND s.id = m.id AND s.next_read_at IS NULL
     ) SELECT count(*)::int AS missed FROM missed`,
    [vendor, vendorAccount, beganAt, failed.map((customer) => customer.toLowerCase()), limit],
  )
  return rows[0]?.missed ?? 0
}
