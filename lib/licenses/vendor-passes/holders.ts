import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { database } from '#lib/platform/db/client.ts'
import type { Account } from '#lib/vendors/accounts.ts'

// Subscriptions across customers, as the role `console_jobs`, which sees only these columns. A job then enters `scope`
// customer by customer.

export type AssetAtVendor = Account & {
  customerId: CustomerId
  assetId: string
  vendorCustomerId: string
  subscriptionId: string
  skuId: string
}

const AT_VENDOR = `v.vendor, v.account AS "vendorAccount", v.vendor_customer_id AS "vendorCustomerId",
  v.subscription_id AS "subscriptionId", v.sku_id AS "skuId", v.customer_id AS "customerId", a.id AS "assetId"
  FROM vendor_subscriptions v
  JOIN assets a ON a.customer_id = v.customer_id AND a.vendor_subscription_id = v.id`

export type AtVendor = Account & { vendorCustomerId: string; subscriptionId: string }

/**
 * Returns the assets of all customers linked to subscriptions at vendors, at most one each. Compares ids without letter
 * case: at a case-insensitive vendor, an id in other letters is no other subscription.
 */
export async function holdersOf(subscriptions: readonly AtVendor[]): Promise<AssetAtVendor[]> {
  const column = (name: keyof AtVendor) => subscriptions.map((subscription) => subscription[name])
  const { rows } = await database().jobs.query(
    `SELECT ${AT_VENDOR} WHERE v.released_at IS NULL AND (v.vendor, v.account, v.vendor_customer_key, v.subscription_key) IN
       (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]))`,
    [
      column('vendor'),
      column('vendorAccount'),
      column('vendorCustomerId').map((id) => id.toLowerCase()),
      column('subscriptionId').map((id) => id.toLowerCase()),
    ],
  )
  return rows
}
