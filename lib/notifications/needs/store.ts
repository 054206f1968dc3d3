import 'server-only'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { type Owner, ofMonths, sumsOf } from '#lib/billing/invoices/selection.ts'
import { OPEN_STATES_SQL } from '#lib/licenses/license-changes/store/changes.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { today } from '#lib/platform/db/schema/columns.ts'
import { needDismissals } from '#lib/platform/db/schema/notifications.ts'
import type { PastDue } from './rules.ts'

/** Largest number of rows shown per kind. */
const MAX_ROWS = 100
/** Among so many of the latest changes those are looked for that were refused. */
const MAX_CHANGES = 1000
/** Days for which a rejected change is shown. */
const NEWS_DAYS = 7
/** Minutes after which an open change is shown: longer than a vendor usually takes. */
const CONFIRM_MINUTES = 2

const epochMs = (time: SQL) => sql`floor(extract(epoch FROM ${time}) * 1000)::float8`

/** The moment, in epoch milliseconds, and its day of UTC. */
export async function readNow(tx: Transaction): Promise<{ now: number; today: string }> {
  const { rows } = await tx.execute<{ now: number; today: string }>(sql`
    SELECT floor(extract(epoch FROM now()) * 1000)::float8 AS now, ${today}::text AS today`)
  return rows[0] ?? { now: 0, today: '' }
}

/** What is past due by billing profile and currency, of the kept sums. */
export async function listPastDue(tx: Transaction, owner: Owner): Promise<PastDue[]> {
  const late = and(...ofMonths(owner, { filter: { status: ['PAST DUE'] } }, {}))
  const { rows } = await tx.execute<Omit<PastDue, 'billingProfile'> & { id: string; name: string }>(sql`
    SELECT p.id, p.name, d.currency, sum(d.count)::int AS count, sum(d.balance)::text AS amount,
      min(d.due_date)::text AS "dueDate"
    FROM (
      SELECT billing_profile_id, currency, due_date, sum(count) AS count, sum(balance) AS balance
      FROM ${sumsOf(owner)} WHERE ${late} GROUP BY 1, 2, 3 HAVING sum(count) <> 0) AS d
    JOIN billing_profiles p ON p.customer_id = ${owner.customerId} AND p.id = d.billing_profile_id
    GROUP BY p.id, p.name, d.currency
    ORDER BY min(d.due_date), d.currency, p.id LIMIT ${MAX_ROWS}`)
  return rows.map(({ id, name, ...sums }) => ({ billingProfile: { id, name }, ...sums }))
}

export type ChangeRow = {
  id: string
  assetId: string
  name: string
  type: string
  state: string
  isOpen: boolean
  from: number
  to: number
  reason: string | null
  at: number
  /** When a rejected one is not shown any more. */
  until: number | null
}

/** Whether another change of the customer's came after `c`, of the same asset. */
const followed = (customerId: CustomerId, which = sql``) => sql`EXISTS (
  SELECT FROM license_changes n WHERE n.customer_id = ${customerId} AND n.asset_id = c.asset_id
    AND n.created_at > c.created_at ${which})`

/**
 * Returns changes that their vendors have not confirmed for long, unclear ones that are not acknowledged, and recently
 * rejected ones; of each asset until another change follows.
 */
export async function listWaiting(tx: Transaction, customerId: CustomerId): Promise<ChangeRow[]> {
  const { rows } = await tx.execute<ChangeRow>(sql`
    SELECT c.id, c.asset_id AS "assetId", a.name, a.type, c.state, c.state IN ${OPEN_STATES_SQL} AS "isOpen",
      c.from_quantity AS "from", c.to_quantity AS "to", c.vendor_reason AS reason, ${epochMs(sql`c.created_at`)} AS at,
      CASE WHEN c.state IN ('REJECTED', 'FAILED') THEN
        ${epochMs(sql`c.created_at + ${NEWS_DAYS} * interval '1 day'`)} END AS until
    FROM (
      (SELECT * FROM license_changes c WHERE c.customer_id = ${customerId} AND c.state IN ${OPEN_STATES_SQL}
        AND (c.state = 'UNKNOWN' OR c.moved_at < now() - ${CONFIRM_MINUTES} * interval '1 minute') LIMIT ${MAX_ROWS})
      UNION ALL
      (SELECT * FROM license_changes c WHERE c.customer_id = ${customerId} AND c.state = 'UNCLEAR'
        AND c.acknowledged_at IS NULL AND NOT ${followed(customerId, sql`AND n.state <> 'DRIFT'`)} LIMIT ${MAX_ROWS})
      UNION ALL
      (SELECT * FROM (
          SELECT * FROM license_changes l WHERE l.customer_id = ${customerId}
            AND l.created_at > now() - ${NEWS_DAYS} * interval '1 day'
          ORDER BY l.created_at DESC, l.id DESC LIMIT ${MAX_CHANGES}) c
        WHERE c.state IN ('REJECTED', 'FAILED') AND NOT ${followed(customerId)} LIMIT ${MAX_ROWS})) c
    JOIN assets a ON a.customer_id = ${customerId} AND a.id = c.asset_id`)
  return rows
}

/** Asset that is busy at least until a time, at which it may also be waiting: in epoch milliseconds. */
type Busy = { id: string; until: number }

/** The assets whose licenses can't be changed at this moment: a change is open, or the vendor takes none yet. */
export async function listBusy(tx: Transaction, customerId: CustomerId): Promise<Busy[]> {
  const { rows } = await tx.execute<Busy>(sql`
    SELECT c.asset_id AS id, ${epochMs(sql`c.moved_at + ${CONFIRM_MINUTES} * interval '1 minute'`)} AS until
    FROM license_changes c WHERE c.customer_id = ${customerId} AND c.state IN ${OPEN_STATES_SQL}
    UNION
    SELECT a.id, ${epochMs(sql`newest.not_before`)} FROM assets a
    CROSS JOIN LATERAL (
      SELECT c.not_before FROM license_changes c WHERE c.customer_id = ${customerId} AND c.asset_id = a.id
      ORDER BY c.created_at DESC LIMIT 1) newest
    WHERE a.customer_id = ${customerId} AND a.vendor <> 'built-in' AND a.seats_purchased IS NOT NULL
      AND newest.not_before > now()`)
  return rows
}

/** What one member has put aside. */
export type Whose = { customerId: CustomerId; memberId: string }

/** Largest number of dismissals, more than a member makes; all other items are shown. */
const MAX_DISMISSALS = 2000

const ofMember = ({ customerId, memberId }: Whose) =>
  and(eq(needDismissals.customerId, customerId), eq(needDismissals.memberId, memberId))

/** The versions that a member has put aside, by the names of the lines; the latest ones. */
export async function listDismissals(tx: Transaction, whose: Whose): Promise<Map<string, string>> {
  const { needId, version, dismissedAt } = needDismissals
  const rows = await tx
    .select({ needId, version })
    .from(needDismissals)
    .where(ofMember(whose))
    .orderBy(sql`${dismissedAt} desc`)
    .limit(MAX_DISMISSALS)
  return new Map(rows.map((row) => [row.needId, row.version]))
}

/** Of two concurrent dismissals, the later one stays. */
export async function addDismissal(
  tx: Transaction,
  whose: Whose,
  { id: needId, version }: { id: string; version: string },
): Promise<void> {
  await tx
    .insert(needDismissals)
    .values({ ...whose, needId, version })
    .onConflictDoUpdate({
      target: [needDismissals.customerId, needDismissals.memberId, needDismissals.needId],
      set: { version, dismissedAt: sql`now()` },
    })
}

export async function removeDismissal(tx: Transaction, whose: Whose, needId: string): Promise<void> {
  await tx.delete(needDismissals).where(and(ofMember(whose), eq(needDismissals.needId, needId)))
}

/**
 * Removes the members' old dismissals: most items are not there any more, and the rest may be shown again after a year.
 * @returns how many rows
 */
export async function pruneDismissals(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    DELETE FROM need_dismissals
    WHERE customer_id = ${customerId} AND dismissed_at < now() - interval '1 year'`)
  return rowCount ?? 0
}
