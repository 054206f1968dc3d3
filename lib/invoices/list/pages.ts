import 'server-only'
import { and, type SQL } from 'drizzle-orm'
import { value } from '#lib/db/built.ts'
import type { Transaction } from '#lib/db/client.ts'
import { invoices } from '#lib/db/schema/invoices.ts'
import { pageByKey } from '#lib/lists/keyset.ts'
import type { Cursor } from '#lib/lists/page-token.ts'
import { type InvoiceOrder, keysetOf } from '../order.ts'
import { type Owner, owned, ownedOnce, selected } from '../owned-and-selected.ts'
import type { Days, Selection } from '../selection.ts'
import { type InvoiceRow, invoiceColumns } from '../store.ts'

export type Page = { orderBy?: InvoiceOrder | undefined; cursor?: Cursor | undefined }
/** Where to look for what is selected: invoice dates other than those of the selection, and a condition. */
type Among = { days?: Days | undefined; where?: SQL | undefined }

/**
 * Rows in reading direction from the cursor on: in their order, or the other way round when it leads back. A search is
 * asked of each row: see `findInvoices`.
 */
export function listInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  limit: number,
  { orderBy, cursor }: Page,
): Promise<InvoiceRow[]> {
  if (Object.values(selection).some((one) => one !== undefined))
    return selectInvoices(tx, owner, selection, limit, { orderBy, cursor })
  const shape = `${orderBy} ${cursor?.direction}`
  const run = pages.get(shape) ?? anyPage(orderBy, cursor)
  pages.set(shape, run)
  const key = Object.fromEntries((cursor?.key ?? []).map((part, index) => [`key${index}`, part]))
  return run(tx, owner, { ...key, limit })
}

/** The pages of all invoices, by their order and direction: most calls ask for no others. */
const pages = new Map<string, ReturnType<typeof anyPage>>()

function anyPage(orderBy: InvoiceOrder | undefined, given: Cursor | undefined) {
  const cursor = given && { ...given, key: given.key.map((_, index) => value<string>(`key${index}`)) }
  return ownedOnce<InvoiceRow[]>((tx, owner) =>
    selectInvoices(tx, owner, {}, value<number>('limit'), { orderBy, cursor }),
  )
}

/** The same, among some of the invoices. */
export function selectInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  limit: number,
  { orderBy, cursor }: Page,
  { days, where }: Among = {},
) {
  const { columns, ascending } = keysetOf(orderBy)
  const { beyond, order } = pageByKey(columns, cursor, ascending)
  return tx
    .select(invoiceColumns)
    .from(invoices)
    .where(and(...owned(owner), ...selected(selection, days), where, beyond))
    .orderBy(order)
    .limit(limit)
}
