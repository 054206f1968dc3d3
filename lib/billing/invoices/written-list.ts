import 'server-only'
import { type SQLWrapper, sql } from 'drizzle-orm'
import type { Output } from '#lib/platform/api/contract.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { today } from '#lib/platform/db/schema/columns.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { type ListOf, pageTokens } from '#lib/platform/lists/paging.ts'
import type { listInvoices } from './contract.ts'
import { issued, type Owner, payable, type Selection } from './selection.ts'
import { keysetOf } from './sort.ts'
import { type Page, pageQuery, selectWhere } from './store.ts'
import { wireId } from './wire-ids.ts'

// The list is the most frequent call: PostgreSQL writes a page of it in JSON, as one text. Read as rows, a page took a
// process a quarter more time, and 162 kB of memory instead of 103 kB.

const json = (text: SQLWrapper) => sql`to_json(${text})::text`
/** A code in JSON. A check of the table allows only letters in it, so nothing is escaped. */
const jsonCode = (code: SQLWrapper) => sql`'"' || ${code} || '"'`
const jsonDay = (day: SQLWrapper) => sql`((${day} - date '1970-01-01')::bigint * 86400000)::text`
const { totalSort: total, balanceSort: balance, invoiceDate, dueDate } = invoices
const payableNumber = sql`${invoices.payableAmount}::double precision`
/** Whether PostgreSQL writes a double as JavaScript does: others have exponents in one of them. */
const isNumberOfJson = (amount: SQLWrapper) =>
  sql`(abs(${amount}) BETWEEN 0.0001 AND 99999999999999 OR ${amount} = 0)`

/**
 * Members of an invoice in a list, as `serializeInvoice` makes them, in JSON: between `id` and `url`. Null where
 * JavaScript writes a number or a day in another way; no invoice is due before its date.
 */
const members = sql<
  string | null
>`CASE WHEN ${invoiceDate} >= date '0001-01-01' AND ${dueDate} <= date '9999-12-31'
    AND ${isNumberOfJson(total)} AND ${isNumberOfJson(balance)}
    AND (${invoices.payableAmount} IS NULL OR ${isNumberOfJson(payableNumber)}) THEN
  ',"number":' || ${json(invoices.number)} || ',"issuer":' || ${json(invoices.issuer)}
  || ',"documentState":' || ${jsonCode(invoices.documentState)} || ',"billingProfileId":' || ${json(invoices.billingProfileId)}
  || ',"invoiceDate":' || ${jsonDay(invoiceDate)} || ',"platform":' || ${json(invoices.platform)}
  || ',"dueDate":' || ${jsonDay(dueDate)} || CASE WHEN NOT ${issued} THEN ''
    WHEN ${payable} <= 0 THEN ',"status":"PAID"'
    WHEN ${dueDate} < ${today} THEN ',"status":"PAST DUE"' ELSE ',"status":"OPEN"' END
  || ',"totalAmount":' || ${total}::text || ',"balanceAmount":' || ${balance}::text
  || CASE WHEN ${invoices.payableAmount} IS NULL THEN '' ELSE ',"payableAmount":' || ${payableNumber}::text END
  || ',"currency":' || ${jsonCode(invoices.currency)} END`

/**
 * An invoice in JSON, of its columns `wire_id` and `members`, with the URL of its file, as `encodeURIComponent` writes it.
 * Of the ids of most issuers, nothing is escaped or encoded; few need a query for each letter, which takes four times as
 * long for a page.
 */
const itemOf = (urlStart: SQLWrapper) => sql`CASE WHEN wire_id !~ '[^A-Za-z0-9_.!~*''()-]'
    THEN '{"id":"' || wire_id || '"' || members || ',"url":' || ${urlStart}::text || wire_id || '/file"}'
  ELSE '{"id":' || ${json(sql`wire_id`)} || members || ',"url":' || ${urlStart}::text || CASE
    WHEN wire_id !~ '[^A-Za-z0-9_.!~*''():/ -]'
      THEN replace(replace(replace(wire_id, ':', '%3A'), '/', '%2F'), ' ', '%20')
    ELSE (SELECT string_agg(CASE WHEN c ~ '[A-Za-z0-9_.!~*''()-]' THEN c
        ELSE upper(regexp_replace(encode(convert_to(c, 'UTF8'), 'hex'), '(..)', '%\\1', 'g')) END, '' ORDER BY n)
      FROM regexp_split_to_table(wire_id, '') WITH ORDINALITY AS letter(c, n)) END || '/file"}' END`

/** Page as PostgreSQL writes it. */
type WrittenRow = {
  /** Number of rows that were read: one more than the page has, if there are rows beyond it. */
  count: number
  /** The page's invoices in the list's order, without brackets; null if there are none. */
  items: string | null
  /** Whether all of them could be written. */
  isWhole: boolean
  firstKey: string | null
  firstId: string | null
  lastKey: string | null
  lastId: string | null
}

const writtenPage = pageQuery<WrittenRow[]>((tx, owner, conditions, { values, ...page }) => {
  const { limit, orderBy, cursor } = page
  const columns = {
    key: sql`${invoices[keysetOf(orderBy).by]}::text`.as('key'),
    id: invoices.id,
    wireId: wireId.as('wire_id'),
    members: members.as('members'),
  }
  const rows = selectWhere(tx, owner, conditions, { ...page, columns })
  // `place` counts the rows from 1, in reading direction: no step from here on changes the order of the subquery's rows.
  const placed = sql`(SELECT key, id, row_number() OVER () AS place,
    ${itemOf(values.urlStart as SQLWrapper)} AS item FROM ${rows} AS invoice) AS page`
  const onPage = sql`FILTER (WHERE place < ${limit})`
  const at = (column: 'key' | 'id', place: SQLWrapper) =>
    sql<string | null>`max(${sql.raw(column)}) FILTER (WHERE place = ${place})`
  const last = sql`${limit} - 1`
  // Sorted only where the list's order is the reverse of the reading direction.
  const sequence = cursor?.direction === 'newer' ? sql`ORDER BY place DESC` : sql``
  return tx
    .select({
      count: sql<number>`count(*)::int`,
      items: sql<string | null>`string_agg(item, ',' ${sequence}) ${onPage}`,
      isWhole: sql<boolean>`coalesce(bool_and(item IS NOT NULL) ${onPage}, true)`,
      firstKey: at('key', sql`1`),
      firstId: at('id', sql`1`),
      lastKey: at('key', last),
      lastId: at('id', last),
    })
    .from(placed)
})

/** A page of the list without its invoices, and the whole of it in JSON. */
type WrittenList = { body: Output<typeof listInvoices>; saved: string }

/**
 * Returns a page of the list in JSON, with the bytes that its serialized invoices have. Not for a search, which first
 * finds months or ids.
 * @param page.baseUrl the console's public address, without a trailing slash
 * @param page.list what the page tokens are valid for
 * @returns undefined if JavaScript would write a number or a day of the page in another way
 */
export async function writeList(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  { baseUrl, list, ...page }: Page & { baseUrl: string; list: ListOf },
): Promise<WrittenList | undefined> {
  const { limit, cursor } = page
  const urlStart = JSON.stringify(`${baseUrl}/billing/v1/invoices/`).slice(0, -1)
  const [row] = await writtenPage(tx, owner, selection, { ...page, values: { urlStart } })
  if (!row?.isWhole) return undefined
  const { count, items, firstKey, firstId, lastKey, lastId } = row
  const keyOf = (key: string | null, id: string | null) =>
    key === null || id === null ? undefined : [key, id]
  const tokens = pageTokens({
    first: keyOf(firstKey, firstId),
    last: count === limit ? keyOf(lastKey, lastId) : undefined,
    ...{ cursor, list },
  })
  const paging = { rowCount: Math.min(count, limit - 1), ...tokens }
  return {
    body: { invoices: [], ...paging },
    saved: `{"invoices":[${items ?? ''}],${JSON.stringify(paging).slice(1)}`,
  }
}
