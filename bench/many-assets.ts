import pg from 'pg'
import type { Size } from '../test/fakes/large/subscriptions.ts'

/**
 * Writes customers and assets at one vendor for these subscriptions, as an import would, without calls of the vendor.
 * @param url of a migrated database, as its superuser
 */
export async function seedSubscriptions(url: string, vendor: string, size: Size): Promise<void> {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  const guid = (kind: number, number: string) =>
    `'${kind}0000000-0000-4000-8000-' || lpad((${number})::text, 12, '0')`
  await owner.query(
    `INSERT INTO customers (id, name, domain, contact_email)
     SELECT 'c' || n, 'Customer ' || n, 'c' || n || '.example', 'office@c' || n || '.example'
     FROM generate_series(0, $1 - 1) n`,
    [size.customers],
  )
  await owner.query(
    `INSERT INTO vendor_subscriptions
       (customer_id, id, vendor, account, vendor_customer_id, subscription_id, sku_id)
     SELECT 'c' || n % $3, 'at-' || n, $1, 'default', ${guid(2, 'n % $3')}, ${guid(1, 'n')}, 'SKU-' || n / $3
     FROM generate_series(0, $2 - 1) n`,
    [vendor, size.subscriptions, size.customers],
  )
  await owner.query(
    `INSERT INTO assets (customer_id, id, type, name, customer_domain, reseller,
       vendor, vendor_account, vendor_subscription_id, vendor_customer_id, subscription_id, sku_id,
       sku_name, billing_method, status, plan_name, is_commitment_plan,
       seats_purchased, seats_maximum, seats_assigned)
     SELECT customer_id, 'workspace-suite-' || id, 'workspace-suite', id, customer_id || '.example', 'reseller',
       vendor, account, id, vendor_customer_id, subscription_id, sku_id,
       'Business Plus', 'ONLINE', 'ACTIVE', 'FLEXIBLE', false, 20, 20, 3
     FROM vendor_subscriptions`,
  )
  await owner.query('VACUUM ANALYZE')
  await owner.end()
}
