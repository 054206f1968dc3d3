import 'server-only'
import { sql } from 'drizzle-orm'
import { ROLES_WITH } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import type { To } from './store.ts'

// What a mail tells of licenses: totals that a vendor changed by itself. It is told to members who may see them.

/** A vendor's change as a mail tells it; the time in epoch milliseconds. */
export type ToldChange = {
  assetId: string
  assetName: string
  from: number
  to: number
  vendor: string
  at: number
}

const MOST_ROWS = 5000

/** How long a change stays news where no mail could be sent. */
const NEWS = sql`interval '7 days'`

/** The recipient, as long as they want it, and are a member whose roles let them see licenses. */
const wanting = ({ customerId, recipientId }: To) => sql`
  SELECT r.licenses_since AS since FROM notice_recipients r
  WHERE r.customer_id = ${customerId} AND r.id = ${recipientId} AND NOT 'licenses' = ANY (r.stopped)
    AND EXISTS (
      SELECT FROM members m
      WHERE m.customer_id = ${customerId} AND lower(m.email) = lower(r.email) AND m.disabled_at IS NULL
        AND m.roles && ${sql.param([...ROLES_WITH['licenses-manager']])}::text[])`

/** The ids of what vendors changed since the recipient wants to know, and that no mail has told them. */
export async function listUntold(tx: Transaction, to: To): Promise<string[]> {
  const { customerId, recipientId } = to
  const { rows } = await tx.execute<{ id: string }>(sql`
    WITH own AS (${wanting(to)})
    SELECT c.id FROM license_changes c
    WHERE c.customer_id = ${customerId} AND c.state = 'DRIFT'
      AND c.created_at >= (SELECT since FROM own) AND c.created_at > now() - ${NEWS}
      AND NOT EXISTS (
        SELECT FROM notice_changes n
        WHERE n.customer_id = ${customerId} AND n.recipient_id = ${recipientId} AND n.change_id = c.id)
    ORDER BY c.created_at LIMIT ${MOST_ROWS}`)
  return rows.map(({ id }) => id)
}

/** Writes down what the mail of a day tells. */
export async function writeTold(tx: Transaction, to: To, toldOn: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.execute(sql`
    INSERT INTO notice_changes (customer_id, recipient_id, change_id, told_on)
    SELECT own.customer_id, own.recipient_id, t.id, own.told_on
    FROM notice_mails AS own, unnest(${sql.param(ids)}::text[]) AS t(id)
    WHERE own.customer_id = ${to.customerId} AND own.recipient_id = ${to.recipientId} AND own.told_on = ${toldOn}`)
}

/** What the mail of a day tells, newest first: nothing any more where the recipient has stopped it, or may not see it. */
export async function listToldChanges(tx: Transaction, to: To, toldOn: string): Promise<ToldChange[]> {
  const { customerId, recipientId } = to
  const { rows } = await tx.execute<ToldChange>(sql`
    WITH own AS (${wanting(to)})
    SELECT c.asset_id AS "assetId", a.name AS "assetName", c.from_quantity AS "from", c.to_quantity AS "to",
      c.actor_name AS vendor, extract(epoch FROM c.created_at)::float8 * 1000 AS at
    FROM notice_changes n
    JOIN license_changes c ON c.customer_id = n.customer_id AND c.id = n.change_id
    JOIN assets a ON a.customer_id = c.customer_id AND a.id = c.asset_id
    WHERE n.customer_id = ${customerId} AND n.recipient_id = ${recipientId} AND n.told_on = ${toldOn}
      AND EXISTS (SELECT FROM own WHERE since IS NOT NULL)
    ORDER BY c.created_at DESC, c.id`)
  return rows
}
