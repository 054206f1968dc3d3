import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { database } from '#lib/platform/db/client.ts'
import type { Account } from '#lib/vendors/accounts.ts'

// The subscriptions of all customers by what their vendors call them, as the role `console_jobs`: it sees no seats, and
// may write when something was told of, and when it is to be read.

/** A subscription at a vendor, and the asset that points to it. */
export type TrackedSubscription = {
  customerId: CustomerId
  id: string
  assetId: string
  vendorCustomerId: string
  subscriptionId: string
  skuId: string
  /** Digest of what its vendor told last, where the asset has it. */
  observation: string | null
}

type Named = { vendorCustomerId: string; subscriptionId: string }

const COLUMNS = `v.customer_id AS "customerId", v.id, a.id AS "assetId", v.vendor_customer_id AS "vendorCustomerId",
  v.subscription_id AS "subscriptionId", v.sku_id AS "skuId", v.observation`
/** What a closed customer has is read no more. */
const ofOpen = (row: string) =>
  `EXISTS (SELECT FROM customers c WHERE c.id = ${row}.customer_id AND c.closed_at IS NULL)`
const ITS_ASSET = 'JOIN assets a ON a.customer_id = v.customer_id AND a.vendor_subscription_id = v.id'

/** Those of a page that we have. Letters' case is left aside: whether they are the same is the vendor's to say. */
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

/** Notes of subscriptions that their vendor has told again what it told before: all of a page in one statement. */
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

/** While one is being read for which it was time, nobody else reads it; who dies over it leaves it for later. */
const LEASE = '5 minutes'

/**
 * Takes subscriptions of an account for whose reading it is time, the longest due first, and passes over those that somebody
 * is writing. In a database that is spread it waits for these and leaves them then: to lock rows there locks the customers
 * beside, too, which this login may not.
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
 * Makes those due that a complete pass has not come to: their id may have changed. Where many are missed it is the list
 * that is wrong, and not each of them: of those whose reading is not planned anyway, the ones told of longest ago are due,
 * `limit` at most.
 * @param failed the vendor's customers of whom the pass knows nothing
 * @returns how many were missed in all
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
