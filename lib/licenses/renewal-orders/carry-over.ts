import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'

/**
 * Adds the requests of an earlier release for an asset to the log. That release wrote into the order the settings that
 * its vendor may hold (`held_…`) and the vendor's default (`former_…`). The asset's row is locked. A later release
 * drops these columns and this file.
 */
export async function carryOver(tx: Transaction, customerId: CustomerId, assetId: string): Promise<void> {
  await tx.execute(sql`
    WITH old AS (
      UPDATE renewal_orders SET is_logged = true, waits_since = CASE
        WHEN state = 'STANDING' AND taken_back_at IS NOT NULL THEN taken_back_at
        WHEN state = 'STANDING' AND placed_at IS NULL THEN created_at END
      WHERE customer_id = ${customerId} AND asset_id = ${assetId} AND is_logged IS NULL
      RETURNING *, CASE WHEN to_quantity IS NULL THEN former_type END AS base_type
    ), sent AS (
      SELECT *, held_quantity AS quantity, held_type AS way, former_quantity AS before_quantity,
        base_type AS before_type, created_at AS at, 'unknown' AS kind, 1 AS place
      FROM old WHERE num_nonnulls(held_quantity, held_type) = 1
      UNION ALL
      SELECT *, to_quantity, renewal_type, coalesce(held_quantity, former_quantity), coalesce(held_type, base_type),
        coalesce(placed_at, created_at),
        CASE WHEN placed_at IS NULL OR unclear_until > statement_timestamp() THEN 'unknown' ELSE 'applied' END, 2
      FROM old WHERE vendor_subscription_id IS NOT NULL AND (placed_at IS NOT NULL OR tries > 0)
    ), last AS (
      SELECT coalesce(max(number), 0) AS number FROM renewal_requests
      WHERE customer_id = ${customerId} AND asset_id = ${assetId}
    )
    INSERT INTO renewal_requests (customer_id, asset_id, number, order_id, vendor_subscription_id, term_end, quantity,
      renewal_type, is_withdrawal, before_quantity, before_type, at, late_until, request_id, kind)
    SELECT customer_id, asset_id, last.number + row_number() OVER (ORDER BY created_at, place), id,
      vendor_subscription_id, term_end, quantity, way, false, before_quantity, before_type, at, unclear_until,
      request_id, kind
    FROM sent, last`)
}
