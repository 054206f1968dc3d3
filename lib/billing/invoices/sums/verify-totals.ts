import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import type { Transaction } from '#lib/platform/db/client.ts'

/** Sum as stored, or as it should be. Amounts are exact decimal text, days `YYYY-MM-DD`. */
export type Sum = { count: number; total: string; balance: string; credits: number }
/** Row of the sums that differs from the invoices; `due` is null for settled invoices. */
export type Difference = Record<'profile' | 'issuer' | 'platform' | 'currency' | 'month', string> & {
  due: string | null
  kept: Sum
  is: Sum
}

const KEY_COLUMNS = sql.raw('billing_profile_id, issuer, platform, currency, month, due_date')
const MAX_REPORTED = 100

/** Adds up the invoices: the sums as they should be. The triggers of `invoices` follow the same rule. */
function ofInvoices(customerId: CustomerId): SQL {
  return sql`
    SELECT customer_id, billing_profile_id, issuer, platform, currency,
      date_trunc('month', invoice_date::timestamp)::date AS month, CASE WHEN balance_amount > 0 THEN due_date END AS due_date,
      count(*)::int AS count, sum(total_amount) AS total, sum(balance_amount) AS balance,
      (count(*) FILTER (WHERE balance_amount < 0))::int AS credit_count
    FROM invoices WHERE customer_id = ${customerId} AND document_state = 'issued'
    GROUP BY 1, 2, 3, 4, 5, 6, 7`
}

/**
 * Compares a customer's sums with its invoices, at one moment.
 * @returns the first 100 differences, and how many there are
 */
export async function compareSums(
  tx: Transaction,
  customerId: CustomerId,
): Promise<{ differences: Difference[]; count: number }> {
  const sums = (side: string) =>
    sql.raw(`
    json_build_object('count', sum(count * is_${side}), 'total', trim_scale(sum(total * is_${side}))::text,
      'balance', trim_scale(sum(balance * is_${side}))::text, 'credits', sum(credit_count * is_${side}))`)
  const { rows } = await tx.execute<Difference & { all: number }>(sql`
    SELECT billing_profile_id AS profile, issuer, platform, currency, month::text, due_date::text AS due,
      ${sums('kept')} AS kept, ${sums('right')} AS is, count(*) OVER ()::int AS all
    FROM (
      SELECT ${KEY_COLUMNS}, count, total, balance, credit_count, 1 AS is_kept, 0 AS is_right
      FROM invoice_sums WHERE customer_id = ${customerId}
      UNION ALL
      SELECT ${KEY_COLUMNS}, count, total, balance, credit_count, 0, 1 FROM (${ofInvoices(customerId)}) AS should_be) AS both_sides
    GROUP BY ${KEY_COLUMNS}
    HAVING sum(is_kept) <> sum(is_right) OR sum(count * (is_kept - is_right)) <> 0
      OR sum(total * (is_kept - is_right)) <> 0 OR sum(balance * (is_kept - is_right)) <> 0
      OR sum(credit_count * (is_kept - is_right)) <> 0
    ORDER BY ${KEY_COLUMNS} LIMIT ${MAX_REPORTED}`)
  return { differences: rows.map(({ all: _, ...difference }) => difference), count: rows[0]?.all ?? 0 }
}

/**
 * Rebuilds a customer's sums. The caller holds the lock of the customer's imports, so no other transaction writes
 * invoices.
 * @returns the number of rows that the sums have now
 */
export async function rebuildSums(tx: Transaction, customerId: CustomerId): Promise<number> {
  await tx.execute(sql`DELETE FROM invoice_sums WHERE customer_id = ${customerId}`)
  const { rowCount } = await tx.execute(sql`
    INSERT INTO invoice_sums (customer_id, ${KEY_COLUMNS}, count, total, balance, credit_count)
    ${ofInvoices(customerId)}`)
  return rowCount ?? 0
}

/**
 * Maximum number of statements of one transaction that update the sums incrementally; beyond it, rebuilding them is
 * faster.
 */
const MAX_INCREMENTAL = 10

/**
 * The sums in a transaction of many statements on a customer's invoices, whose imports it has locked: `next` before each
 * of them, `end` after the last. A row that a transaction changes a thousand times is there a thousand times until its
 * end, and the next change reads them all.
 */
export function sumsOfMany(tx: Transaction, customerId: CustomerId) {
  let queryCount = 0
  const set = (how: 'kept' | 'left') => tx.execute(sql.raw(`SET LOCAL console.sums = '${how}'`))
  return {
    async next(): Promise<void> {
      queryCount += 1
      if (queryCount === MAX_INCREMENTAL + 1) await set('left')
    },
    async end(): Promise<void> {
      if (queryCount <= MAX_INCREMENTAL) return
      await set('kept')
      await rebuildSums(tx, customerId)
    },
  }
}

/**
 * Writes the payable amounts of invoices from before the column; a trigger writes those of added and changed invoices.
 */
export const payableAmounts: Backfill = {
  name: 'payable-amounts',
  async batch(tx, customerId, { after, most }) {
    const { rows } = await tx.execute<{ count: number; last: string | null }>(
      sql`SELECT count, last FROM fill_payables(${customerId}, ${after ?? ''}, ${most})`,
    )
    const { count = 0, last = null } = rows[0] ?? {}
    return { count, last: count < most ? null : last }
  },
}
