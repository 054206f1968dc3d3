import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { invoices } from '#lib/db/schema/invoices.ts'
import { folded, hasPart, isShort } from '#lib/lists/search.ts'
import type { Days, Selection } from '../selection.ts'

// Asked by equality and by range alone: row-level security lets an index be asked nothing else (its `LIKE` is not leakproof).

export type Search = Selection & { search: string }
/** Invoices of one month that a search may find, and how many tokens led there: no more than were asked for. */
export type Month = { month: string; ids: string[]; count: number }
/** How many at most of one month, and of all of them. */
type Most = { ofMonth: number; inAll?: number }

/** As `tokens_of_invoice` cuts them, and no token is longer by more than its mark. */
const LONGEST = 12
const START = sql`'^'`
/** Behind the start of a token, it comes after all that start so. */
const AFTER = sql`repeat(chr(1114111), ${sql.raw(String(LONGEST + 1))})`

/**
 * The months in which tokens of a customer start as a search does, the newest first, each with its invoices. They may
 * be invoices that the search does not find: of a long one, a part is looked up.
 */
export async function monthsOf(
  tx: Transaction,
  customerId: CustomerId,
  search: string,
  { from, to }: Days,
  { ofMonth, inAll }: Most,
): Promise<Month[]> {
  const text = folded(sql`${search}::text`)
  const starts = [sql`${START} || left(${text}, ${sql.raw(String(LONGEST))})`]
  if (!isShort(search)) starts.push(sql`right(${text}, ${sql.raw(String(LONGEST))})`)
  const tokens = starts.map(
    (start) => sql`(
      SELECT invoice_id FROM invoice_tokens
      WHERE customer_id = ${customerId} AND month = months.month AND token >= ${start} AND token < ${start} || ${AFTER}
      LIMIT ${ofMonth})`,
  )
  const notBefore = from ? sql`AND month >= ${`${from.slice(0, 7)}-01`}::date` : sql``
  const newest = (before: SQL) => sql`(
    SELECT month FROM invoice_tokens WHERE customer_id = ${customerId} AND ${before} ${notBefore}
    ORDER BY month DESC LIMIT 1)`
  const { rows } = await tx.execute<Month>(sql`
    WITH RECURSIVE months AS (
      ${newest(sql`month <= ${to ?? 'infinity'}::date`)}
      UNION ALL
      SELECT ${newest(sql`invoice_tokens.month < months.month`)} FROM months WHERE months.month IS NOT NULL)
    SELECT month::text, array_agg(DISTINCT invoice_id) AS ids, count(*)::int AS count
    FROM (
      SELECT months.month, found.invoice_id FROM months CROSS JOIN LATERAL (${sql.join(tokens, sql` UNION ALL `)}) AS found
      WHERE months.month IS NOT NULL LIMIT ${inAll ?? null}) AS all_found
    GROUP BY 1 ORDER BY 1 DESC`)
  return rows
}

/** The ids of all invoices that a search may find; undefined where there are more than so many. */
export async function idsOf(
  tx: Transaction,
  customerId: CustomerId,
  search: string,
  days: Days,
  most: number,
): Promise<string[] | undefined> {
  const months = await monthsOf(tx, customerId, search, days, { ofMonth: most + 1, inAll: most + 1 })
  const count = months.reduce((sum, month) => sum + month.count, 0)
  return count > most ? undefined : months.flatMap(({ ids }) => ids)
}

/** The customer's issuers that a search finds: there are few, and each is met once, whatever its invoices. */
export async function issuersOf(tx: Transaction, customerId: CustomerId, search: string): Promise<string[]> {
  const next = (after: SQL) => sql`(
    SELECT issuer FROM invoices WHERE customer_id = ${customerId} AND issuer > ${after} ORDER BY issuer LIMIT 1)`
  const { rows } = await tx.execute<{ issuer: string }>(sql`
    WITH RECURSIVE issuers AS (
      ${next(sql`''`)} UNION ALL SELECT ${next(sql`issuers.issuer`)} FROM issuers WHERE issuers.issuer IS NOT NULL)
    SELECT issuer FROM issuers WHERE issuer IS NOT NULL AND ${hasPart(sql`issuer`, search)}`)
  return rows.map(({ issuer }) => issuer)
}

/** One parameter, however many there are. */
export function isOneOf(ids: readonly string[]): SQL {
  return sql`${invoices.id} = ANY(${sql.param(ids)}::text[])`
}
