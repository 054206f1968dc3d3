import 'server-only'
import { sql } from 'drizzle-orm'
import { ROLES_WITH } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { To } from './store.ts'

// License mails report totals that a vendor changed by itself, to members who may see licenses.

/** Vendor's change in a mail; the time in epoch milliseconds. */
export type MailChange = {
  assetId: string
  assetName: string
  from: number
  /** What the vendor changed, where that is not the total. */
  reason: string | null
  to: number
  vendor: string
  at: number
}

const MAX_ROWS = 5000

/** Time for which a change stays news while no mail could be sent. */
const NEWS = sql`interval '7 days'`

/**
 * Returns the start of the recipient's subscription as database text; undefined without a subscription, or for former
 * members and members whose roles don't include licenses. Two statements, because recipients and members may be on
 * different nodes.
 */
async function subscribedSince(
  tx: Transaction,
  { customerId, recipientId }: To,
): Promise<string | undefined> {
  const { rows } = await tx.execute<{ email: string; since: string }>(sql`
    SELECT r.email, r.licenses_since::text AS since FROM notice_recipients r
    WHERE r.customer_id = ${customerId} AND r.id = ${recipientId} AND r.licenses_since IS NOT NULL
      AND NOT 'licenses' = ANY (r.stopped)`)
  const [recipient] = rows
  if (!recipient) return undefined
  const { rows: able } = await tx.execute(sql`
    SELECT FROM members m
    WHERE m.customer_id = ${customerId} AND lower(m.email) = lower(${recipient.email}) AND m.disabled_at IS NULL
      AND m.roles && ${sql.param([...ROLES_WITH['licenses-manager']])}::text[] LIMIT 1`)
  return able.length > 0 ? recipient.since : undefined
}

/** Returns the ids of vendor changes since the recipient's subscription that no mail has reported. */
export async function listUntold(tx: Transaction, to: To): Promise<string[]> {
  const { customerId, recipientId } = to
  const since = await subscribedSince(tx, to)
  if (since === undefined) return []
  const { rows } = await tx.execute<{ id: string }>(sql`
    SELECT c.id FROM license_changes c
    WHERE c.customer_id = ${customerId} AND c.state = 'DRIFT'
      AND c.created_at >= ${since}::timestamptz AND c.created_at > now() - ${NEWS}
      AND NOT EXISTS (
        SELECT FROM notice_changes n
        WHERE n.customer_id = ${customerId} AND n.recipient_id = ${recipientId} AND n.change_id = c.id)
    ORDER BY c.created_at LIMIT ${MAX_ROWS}`)
  return rows.map(({ id }) => id)
}

/** Records the changes that the mail of a day reports. */
export async function addMailChanges(
  tx: Transaction,
  to: To,
  notifiedOn: string,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return
  await tx.execute(sql`
    INSERT INTO notice_changes (customer_id, recipient_id, change_id, told_on)
    SELECT own.customer_id, own.recipient_id, t.id, own.told_on
    FROM notice_mails AS own, unnest(${sql.param(ids)}::text[]) AS t(id)
    WHERE own.customer_id = ${to.customerId} AND own.recipient_id = ${to.recipientId} AND own.told_on = ${notifiedOn}`)
}

/**
 * Returns the changes in the mail of a day, newest first: none where the recipient has stopped the mail or may no
 * longer see licenses.
 */
export async function listMailChanges(tx: Transaction, to: To, notifiedOn: string): Promise<MailChange[]> {
  const { customerId, recipientId } = to
  if ((await subscribedSince(tx, to)) === undefined) return []
  const { rows } = await tx.execute<MailChange>(sql`
    SELECT c.asset_id AS "assetId", a.name AS "assetName", c.from_quantity AS "from", c.to_quantity AS "to",
      c.actor_name AS vendor, c.vendor_reason AS reason, extract(epoch FROM c.created_at)::float8 * 1000 AS at
    FROM notice_changes n
    JOIN license_changes c ON c.customer_id = ${customerId} AND c.id = n.change_id
    JOIN assets a ON a.customer_id = ${customerId} AND a.id = c.asset_id
    WHERE n.customer_id = ${customerId} AND n.recipient_id = ${recipientId} AND n.told_on = ${notifiedOn}
    ORDER BY c.created_at DESC, c.id`)
  return rows
}
