import type { OwnersWork } from '#lib/server/owner/as-owner.ts'
import type { Merge } from './prepare.ts'

/**
 * Takes from the customer that stays closed what only one may have: nobody signs in there any more, no key of it opens
 * anything, and no vendor's subscription is its. The rows stay, for its history names them.
 */
export async function retire({ write }: OwnersWork, { from, into }: Merge): Promise<void> {
  // Digests and subscriptions are unique over all customers.
  await write(
    "UPDATE api_keys SET digest = concat_ws(' ', 'merged', customer_id, id), revoked_at = now() WHERE customer_id = $1 AND id IN (SELECT id FROM going_keys)",
    [from],
  )
  await write('UPDATE api_keys SET revoked_at = now() WHERE customer_id = $1 AND revoked_at IS NULL', [from])
  await write('UPDATE members SET disabled_at = now() WHERE customer_id = $1 AND disabled_at IS NULL', [from])
  await write('DELETE FROM sessions WHERE customer_id = $1', [from])
  await write(
    "DELETE FROM look_ups WHERE customer_id = $1 AND (kind = 'session' OR kind = 'key' AND id IN (SELECT id FROM going_keys))",
    [from],
  )
  await write(
    `CREATE TEMP TABLE going_subscriptions ON COMMIT DROP AS SELECT id FROM vendor_subscriptions
     WHERE customer_id = $1 AND released_at IS NULL`,
    [from],
  )
  await write(
    'UPDATE vendor_subscriptions SET released_at = now(), next_read_at = NULL WHERE customer_id = $1 AND released_at IS NULL',
    [from],
  )
  await write('UPDATE customers SET merged_into = $2 WHERE id = $1', [from, into])
}
