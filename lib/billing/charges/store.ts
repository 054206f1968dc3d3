import 'server-only'
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { type Owner, preparedForOwner, visibleTo } from '#lib/billing/invoices/selection.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { value } from '#lib/platform/db/prepared-queries.ts'
import { chargeSets } from '#lib/platform/db/schema/invoices/charges.ts'
import { invoices, lineItems } from '#lib/platform/db/schema/invoices/invoices.ts'
import type { Cursor } from '#lib/platform/lists/paging.ts'
import type { ChargeSet, LineSum } from './reconciliation.ts'

/** Stored charge: amounts are exact decimal text, times epoch milliseconds. */
export type ChargeRow = {
  position: number
  detail: string | null
  category: string
  class: string | null
  service: string
  description: string | null
  start: number | null
  end: number | null
  account: string
  subAccount: string | null
  quantity: string | null
  unit: string | null
  cost: string
  currency: string
  tags: Record<string, string> | null
}

/** Filter value for charges without a line. */
export const NO_LINE = ''
/** Filter of charges: a line's id; `NO_LINE`; undefined for all. */
export type Which = string | undefined

/**
 * Returns charges of an invoice in order, or in reverse before a cursor. The set stores the positions of each line, so
 * that the database reads only the charges of the page.
 */
export async function listCharges(
  tx: Transaction,
  owner: Owner,
  id: string,
  { which, limit, cursor }: { which: Which; limit: number; cursor?: Cursor | undefined },
): Promise<ChargeRow[]> {
  const isBack = cursor?.direction === 'newer'
  const at = cursor ? Number(cursor.key[0]) : -1
  const direction = sql.raw(isBack ? 'DESC' : 'ASC')
  const within = isBack ? sql`p.first < ${at}` : sql`p.last > ${at}`
  const beyond = isBack ? sql`c.position < ${at}` : sql`c.position > ${at}`
  const { rows } = await tx.execute<ChargeRow>(sql`
    SELECT found.*, p.currency FROM (
      SELECT * FROM (${chargeRanges(owner, id, which)}) AS p
      WHERE ${within} ORDER BY p.first ${direction} LIMIT ${limit}) AS p
    CROSS JOIN LATERAL (
      SELECT c.position, c.detail, c.category, c.class, c.service, c.description,
        (extract(epoch FROM c.period_start) * 1000)::float8 AS start,
        (extract(epoch FROM c.period_end) * 1000)::float8 AS "end", c.billing_account AS account,
        c.sub_account AS "subAccount", c.quantity, c.unit, c.billed_cost AS cost, c.tags
      FROM charges c
      WHERE c.customer_id = ${owner.customerId} AND c.set_id = p.set_id AND c.position BETWEEN p.first AND p.last
        AND ${beyond}
      ORDER BY c.position ${direction} LIMIT ${limit}) AS found
    ORDER BY found.position ${direction} LIMIT ${limit}`)
  return rows
}

/** Returns SQL for the position ranges of the charges: for charges without a line, one range per unknown id. */
function chargeRanges(owner: Owner, id: string, which: Which): SQL {
  const setFilter = and(eq(chargeSets.customerId, owner.customerId), eq(invoices.id, id), ofInvoice(owner))
  if (which === undefined)
    return sql`
      SELECT ${chargeSets.id} AS set_id, ${chargeSets.currency} AS currency, 0 AS first, ${chargeSets.count} - 1 AS last
      FROM ${chargeSets}, ${invoices} WHERE ${setFilter}`
  const isRequested =
    which === NO_LINE
      ? sql`NOT EXISTS (
          SELECT FROM ${lineItems} WHERE ${lineItems.customerId} = ${owner.customerId}
            AND ${lineItems.invoiceId} = ${id} AND ${lineItems.detailId} = one ->> 'detail')`
      : sql`one ->> 'detail' = ${which}`
  return sql`
    SELECT ${chargeSets.id} AS set_id, ${chargeSets.currency} AS currency, (one ->> 'from')::int AS first,
      (one ->> 'from')::int + (one ->> 'count')::int - 1 AS last
    FROM ${chargeSets}, ${invoices}, jsonb_array_elements(${chargeSets.lines}) AS one
    WHERE ${setFilter} AND ${isRequested}`
}

/** Joins an invoice with its valid charges; a replaced set keeps its number, now used by its successor. */
const ofInvoice = (owner: Owner) =>
  and(
    eq(chargeSets.customerId, owner.customerId),
    eq(chargeSets.issuer, invoices.issuer),
    eq(chargeSets.number, invoices.number),
    isNull(chargeSets.replacedBy),
    isNull(invoices.replacedBy),
    ...visibleTo(owner),
  )

const setOf = preparedForOwner<ChargeSet[]>((tx, owner) =>
  tx
    .select({
      currency: chargeSets.currency,
      count: chargeSets.count,
      amount: chargeSets.amount,
      lines: sql<LineSum[]>`${chargeSets.lines}`,
    })
    .from(chargeSets)
    .innerJoin(invoices, ofInvoice(owner))
    .where(and(eq(chargeSets.customerId, owner.customerId), eq(invoices.id, value('id')))),
)

/**
 * Returns the sums of an invoice's charges line by line; undefined for an invoice without charges or hidden from the
 * caller.
 */
export async function readChargeSet(
  tx: Transaction,
  owner: Owner,
  id: string,
): Promise<ChargeSet | undefined> {
  return (await setOf(tx, owner, { id }))[0]
}
