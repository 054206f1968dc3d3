import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { database } from '#lib/platform/db/client.ts'

// Due work across customers, read as the role `console_jobs`, which sees only these columns of due rows. A job then
// enters `scope` customer by customer.

export type DueChange = { customerId: CustomerId; changeId: string }

/** The changes of licenses whose outcome is not known yet. */
export async function dueChanges(): Promise<DueChange[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId; id: string }>(
    "SELECT customer_id, id FROM license_changes WHERE state IN ('CLAIMED', 'SENT', 'UNKNOWN')",
  )
  return rows.map((row) => ({ customerId: row.customer_id, changeId: row.id }))
}

/** Returns the changes that need a person, open or unclear, of one customer or of all. */
export async function openChanges(customerId?: CustomerId): Promise<DueChange[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId; id: string }>(
    `SELECT customer_id, id FROM license_changes
     WHERE state IN ('CLAIMED', 'SENT', 'UNKNOWN', 'UNCLEAR') AND ($1::text IS NULL OR customer_id = $1)`,
    [customerId ?? null],
  )
  return rows.map((row) => ({ customerId: row.customer_id, changeId: row.id }))
}

export type DueOrder = { customerId: CustomerId; id: string; assetId: string }

/**
 * Returns the active orders for next terms that are due: their time has come, or their vendor shows something else than it
 * had confirmed, or a change of the licenses may have deleted them there. Orders of closed customers rest.
 */
export async function dueOrders(): Promise<DueOrder[]> {
  const { rows } = await database().jobs.query<DueOrder>(
    `SELECT o.customer_id AS "customerId", o.id, o.asset_id AS "assetId"
     FROM renewal_orders o
     JOIN customers c ON c.id = o.customer_id AND c.closed_at IS NULL
     LEFT JOIN assets a ON a.customer_id = o.customer_id AND a.id = o.asset_id
     WHERE o.state = 'STANDING' AND (
       o.next_look_at <= statement_timestamp()
       OR (o.placed_at IS NOT NULL AND o.taken_back_at IS NULL AND o.next_look_at = o.term_end AND a.id IS NOT NULL
         AND CASE WHEN o.to_quantity IS NULL THEN a.renewal_type IS DISTINCT FROM o.renewal_type
           ELSE (a.scheduled_total, a.seat_version) IS DISTINCT FROM (o.to_quantity, o.placed_version) END))`,
  )
  return rows
}

/** Returns the orders for next terms that their vendor lacks or should not have any more, and those that are unclear. */
export async function ordersInNeed(): Promise<DueOrder[]> {
  const { rows } = await database().jobs.query<DueOrder>(
    `SELECT o.customer_id AS "customerId", o.id, o.asset_id AS "assetId" FROM renewal_orders o
     WHERE o.state = 'UNCLEAR' OR (o.state = 'STANDING' AND o.waits_since IS NOT NULL)`,
  )
  return rows
}

/**
 * Returns the open customers about whose orders a mail may be due: a term ends within so many days, an order is unclear, or
 * its vendor has not confirmed that it is taken back.
 */
export async function customersWithOrderMails(days: number): Promise<CustomerId[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId }>(
    `SELECT DISTINCT o.customer_id FROM renewal_orders o
     JOIN customers c ON c.id = o.customer_id AND c.closed_at IS NULL
     WHERE o.state = 'UNCLEAR' OR o.state = 'STANDING' AND (o.taken_back_at IS NOT NULL
       OR o.told_at IS NULL AND o.term_end BETWEEN now() AND now() + make_interval(days => $1)
         AND o.term_end - o.created_at > make_interval(days => $1)) ORDER BY o.customer_id`,
    [days],
  )
  return rows.map((row) => row.customer_id)
}

/** Returns the open customers that have recipients of notices. */
export async function customersWithNotices(): Promise<CustomerId[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId }>(
    `SELECT customer_id FROM (
       SELECT customer_id FROM notice_subscriptions
       UNION SELECT customer_id FROM notice_recipients WHERE licenses_since IS NOT NULL
       UNION SELECT customer_id FROM notice_recipients WHERE needs_since IS NOT NULL) told
     WHERE EXISTS (SELECT FROM customers c WHERE c.id = told.customer_id AND c.closed_at IS NULL)
     ORDER BY customer_id`,
  )
  return rows.map((row) => row.customer_id)
}

/** Returns the open customers with unsent mails that ask an address to confirm its notices. */
export async function customersWithConfirmations(): Promise<CustomerId[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId }>(
    `SELECT DISTINCT n.customer_id FROM notice_confirmations n
     JOIN customers c ON c.id = n.customer_id AND c.closed_at IS NULL
     WHERE n.outcome IS NULL AND n.state IN ('WAITING', 'SENDING') AND n.not_before <= statement_timestamp()
     ORDER BY n.customer_id`,
  )
  return rows.map((row) => row.customer_id)
}

/** The customers whose time is over, and whether they were exported since they were closed. */
export async function deletedCustomers(): Promise<{ customerId: CustomerId; isExported: boolean }[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId; exported: boolean }>(
    `SELECT id AS customer_id, coalesce(exported_at >= closed_at, false) AS exported
     FROM customers WHERE gone_at <= now() ORDER BY id`,
  )
  return rows.map((row) => ({ customerId: row.customer_id, isExported: row.exported }))
}

/** Returns the customers with mails that the previous release has queued: links, and mails about accounts. */
export async function customersWithAccountMails(): Promise<CustomerId[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId }>(
    `SELECT customer_id FROM account_mails
     WHERE state IN ('WAITING', 'SENDING') AND not_before <= statement_timestamp()
     UNION SELECT customer_id FROM account_links
     WHERE state IN ('WAITING', 'SENDING') AND not_before <= statement_timestamp() ORDER BY customer_id`,
  )
  return rows.map((row) => row.customer_id)
}

/** The customers of whose domains the DNS was not asked since yesterday. */
export async function customersWithDueDomains(): Promise<CustomerId[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId }>(
    `SELECT DISTINCT customer_id FROM sign_on_domains
     WHERE proven_by = 'dns' AND proven_at IS NOT NULL
       AND (checked_at IS NULL OR checked_at < now() - interval '20 hours') ORDER BY customer_id`,
  )
  return rows.map((row) => row.customer_id)
}

/** Returns the customers with keys that end within `days` days and whose notice was not mailed yet. */
export async function customersWithEndingKeys(days: number): Promise<CustomerId[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId }>(
    `SELECT DISTINCT customer_id FROM api_keys
     WHERE revoked_at IS NULL AND replaced_by IS NULL AND end_told_at IS NULL
       AND expires_at BETWEEN now() AND now() + make_interval(days => $1)
       AND expires_at - created_at > make_interval(days => $1) ORDER BY customer_id`,
    [days],
  )
  return rows.map((row) => row.customer_id)
}

/** Returns the open customers that have webhooks. */
export async function customersWithWebhooks(): Promise<CustomerId[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId }>(
    `SELECT DISTINCT e.customer_id FROM webhook_endpoints e
     JOIN customers c ON c.id = e.customer_id AND c.closed_at IS NULL ORDER BY e.customer_id`,
  )
  return rows.map((row) => row.customer_id)
}
