import 'server-only'
import { database } from '#lib/db/client.ts'
import type { CustomerId } from './rules.ts'

// What jobs look for across customers, as the role `console_jobs`, which sees just these columns of the rows that are
// due. A job then enters `scope` customer by customer.

export type DueChange = { customerId: CustomerId; changeId: string }

/** The changes of licenses whose outcome is not known yet. */
export async function dueChanges(): Promise<DueChange[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId; id: string }>(
    "SELECT customer_id, id FROM license_changes WHERE state IN ('CLAIMED', 'SENT', 'UNKNOWN')",
  )
  return rows.map((row) => ({ customerId: row.customer_id, changeId: row.id }))
}

/** Those that wait for a person: open, or unclear. Of one customer, or of all. */
export async function unsettledChanges(customerId?: CustomerId): Promise<DueChange[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId; id: string }>(
    `SELECT customer_id, id FROM license_changes
     WHERE state IN ('CLAIMED', 'SENT', 'UNKNOWN', 'UNCLEAR') AND ($1::text IS NULL OR customer_id = $1)`,
    [customerId ?? null],
  )
  return rows.map((row) => ({ customerId: row.customer_id, changeId: row.id }))
}

export type AssetAtVendor = {
  customerId: CustomerId
  assetId: string
  vendorCustomerId: string
  subscriptionId: string
  skuId: string
}

/** All assets of all customers whose books this vendor keeps. */
export async function assetsAt(vendor: string): Promise<AssetAtVendor[]> {
  const { rows } = await database().jobs.query(
    `SELECT customer_id AS "customerId", id AS "assetId", vendor_customer_id AS "vendorCustomerId",
       subscription_id AS "subscriptionId", sku_id AS "skuId"
     FROM assets WHERE vendor = $1 AND vendor <> 'built-in' AND subscription_id IS NOT NULL`,
    [vendor],
  )
  return rows
}

export type AtVendor = { vendor: string; vendorCustomerId: string; subscriptionId: string }

/** The assets of all customers that stand for some subscriptions at vendors: one each, where one does. */
export async function holdersOf(
  subscriptions: readonly AtVendor[],
): Promise<(AtVendor & { customerId: CustomerId; assetId: string })[]> {
  const column = (name: keyof AtVendor) => subscriptions.map((subscription) => subscription[name])
  const { rows } = await database().jobs.query(
    `SELECT vendor, vendor_customer_id AS "vendorCustomerId", subscription_id AS "subscriptionId",
       customer_id AS "customerId", id AS "assetId"
     FROM assets WHERE vendor <> 'built-in' AND (vendor, vendor_customer_id, subscription_id) IN
       (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))`,
    [column('vendor'), column('vendorCustomerId'), column('subscriptionId')],
  )
  return rows
}

/** The customers who have anybody to send notices to. */
export async function customersWithNotices(): Promise<CustomerId[]> {
  const { rows } = await database().jobs.query<{ customer_id: CustomerId }>(
    `SELECT customer_id FROM notice_subscriptions
     UNION SELECT customer_id FROM notice_recipients WHERE licenses_since IS NOT NULL ORDER BY customer_id`,
  )
  return rows.map((row) => row.customer_id)
}
