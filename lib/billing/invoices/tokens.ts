import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { hasPart, isShort, normalizedText } from '#lib/platform/lists/search.ts'
import type { Days, Selection } from './selection.ts'

// Queried by equality and ranges only: with row-level security an index serves no other operator (its `LIKE` is not
// leakproof).

export type Search = Selection & { search: string }
/** Invoices of one month that a search may find, and the number of tokens read, which is bounded. */
export type Month = { month: string; ids: string[]; count: number }
/** Search for tokens; with `isUp` oldest months first, else newest first. */
type TokenSearch = { customerId: CustomerId; search: string; days: Days; isUp?: boolean }
/** Most tokens that are read per month, and number of matches over all months after which no further month is read. */
type Most = { ofMonth: number; inAll: number }

/** Same length as in `tokens_of_invoice`; a token is longer by its mark at most. */
const MAX_TOKEN_LENGTH = 12
const START = sql`'^'`
/** Sorts after all tokens with a prefix when appended to the prefix. */
const AFTER = sql`repeat(chr(1114111), ${sql.raw(String(MAX_TOKEN_LENGTH + 1))})`

/**
 * Yields the months with tokens that match a search's prefix, in order, each with its invoices. These are candidates:
 * only a part of a long search text is looked up.
 * @param after the last month that was read before
 * @returns also the last month read; undefined where none is left
 */
export async function monthsOf(
  tx: Transaction,
  { customerId, search, days: { from, to }, isUp = false }: TokenSearch,
  { ofMonth, inAll }: Most,
  after?: string,
): Promise<{ months: Month[]; last: string | undefined }> {
  const [beyond, direction] = isUp ? [sql`>`, sql`ASC`] : [sql`<`, sql`DESC`]
  const bounds = sql.join([
    from ? sql`AND month >= ${`${from.slice(0, 7)}-01`}::date ` : sql``,
    to ? sql`AND month <= ${to}::date` : sql``,
  ])
  const next = (before?: SQL) => sql`(
    SELECT month FROM invoice_tokens
    WHERE customer_id = ${customerId} ${before && sql`AND invoice_tokens.month ${beyond} ${before}`} ${bounds}
    ORDER BY month ${direction} LIMIT 1)`
  const matches = sql`(
    SELECT array_agg(DISTINCT invoice_id) AS ids, count(*)::int AS count
    FROM (${startingAs(customerId, search, ofMonth)}) AS tokens)`
  const { rows } = await tx.execute<Month & { total: number }>(sql`
    WITH RECURSIVE months AS (
      SELECT this.month, found.ids, found.count, found.count AS total FROM ${next(after === undefined ? undefined : sql`${after}::date`)} AS this CROSS JOIN LATERAL ${matches} AS found
      UNION ALL
      SELECT this.month, found.ids, found.count, months.total + found.count FROM months
      CROSS JOIN LATERAL ${next(sql`months.month`)} AS this
      CROSS JOIN LATERAL ${matches} AS found
      WHERE months.total < ${inAll})
    SELECT month::text, ids, count, total FROM months ORDER BY month ${direction}`)
  const last = rows.at(-1)
  return {
    months: rows.filter(({ count }) => count > 0),
    last: last && last.total >= inAll ? last.month : undefined,
  }
}

/** Returns SQL for the tokens of `this.month` that match a search. */
function startingAs(customerId: CustomerId, search: string, most: number): SQL {
  const text = normalizedText(sql`${search}::text`)
  const starts = [sql`${START} || left(${text}, ${sql.raw(String(MAX_TOKEN_LENGTH))})`]
  if (!isShort(search)) starts.push(sql`right(${text}, ${sql.raw(String(MAX_TOKEN_LENGTH))})`)
  const ranges = starts.map(
    (start) => sql`(
      SELECT invoice_id FROM invoice_tokens
      WHERE customer_id = ${customerId} AND month = this.month AND token >= ${start} AND token < ${start} || ${AFTER}
      LIMIT ${most})`,
  )
  return sql.join(ranges, sql` UNION ALL `)
}

/** Returns the ids of all invoices that a search may find; undefined where they exceed the limit. */
export async function idsOf(
  tx: Transaction,
  query: TokenSearch,
  most: number,
): Promise<string[] | undefined> {
  const { months } = await monthsOf(tx, query, { ofMonth: most + 1, inAll: most + 1 })
  const count = months.reduce((sum, month) => sum + month.count, 0)
  return count > most ? undefined : months.flatMap(({ ids }) => ids)
}

/**
 * Returns the customer's issuers that match a search: few, and each read once, independent of the number of invoices.
 */
export async function issuersOf(tx: Transaction, customerId: CustomerId, search: string): Promise<string[]> {
  const next = (after: SQL) => sql`(
    SELECT issuer FROM invoices WHERE customer_id = ${customerId} AND issuer > ${after} ORDER BY issuer LIMIT 1)`
  const { rows } = await tx.execute<{ issuer: string }>(sql`
    WITH RECURSIVE issuers AS (
      ${next(sql`''`)} UNION ALL SELECT ${next(sql`issuers.issuer`)} FROM issuers WHERE issuers.issuer IS NOT NULL)
    SELECT issuer FROM issuers WHERE issuer IS NOT NULL AND ${hasPart(sql`issuer`, search)}`)
  return rows.map(({ issuer }) => issuer)
}

/** Returns a condition with one parameter for any number of ids. */
export function isOneOf(ids: readonly string[]): SQL {
  return sql`${invoices.id} = ANY(${sql.param(ids)}::text[])`
}

/**
 * Backfills line purchase orders and tokens of invoices from before these existed. Triggers cover invoices added or
 * changed during the backfill.
 */
export const invoiceTokens: Backfill = {
  name: 'invoice-order-tokens',
  async batch(tx, customerId, { after, most }) {
    // Locked, so that no invoice is renamed before it has tokens. The trigger turns the lines' values into tokens at
    // the change.
    const { rows } = await tx.execute<{ last: string | null; count: number }>(sql`
      WITH next AS (
        SELECT customer_id, id, number, invoice_date, purchase_order, line_orders, buyer_reference, cost_center FROM invoices
        WHERE customer_id = ${customerId} AND id > ${after ?? ''} ORDER BY id LIMIT ${most} FOR NO KEY UPDATE),
      ordered AS (
        UPDATE invoices SET line_orders = orders.own
        FROM (SELECT id, orders_of_lines(customer_id, id) AS own, line_orders FROM next OFFSET 0) AS orders
        WHERE customer_id = ${customerId} AND invoices.id = orders.id AND orders.own IS DISTINCT FROM orders.line_orders),
      filled AS (
        INSERT INTO invoice_tokens (customer_id, month, token, invoice_id)
        SELECT DISTINCT customer_id, date_trunc('month', invoice_date::timestamp)::date, own.token COLLATE "C", id
        FROM next CROSS JOIN LATERAL
          tokens_of_invoice(number, id, purchase_order, line_orders, buyer_reference, cost_center) AS own
        ORDER BY 1, 2, 3, 4
        ON CONFLICT DO NOTHING)
      SELECT max(id) AS last, count(*)::int AS count FROM next`)
    const { last = null, count = 0 } = rows[0] ?? {}
    return { count, last: count < most ? null : last }
  },
}
