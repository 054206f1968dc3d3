import 'server-only'
import { and, type SQL } from 'drizzle-orm'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { value } from '#lib/platform/db/statements.ts'
import { type Cursor, pageByKey } from '#lib/platform/lists/keyset.ts'
import { type InvoiceOrder, keysetOf } from '../order.ts'
import { type Owner, owned, ownedOnce, selected } from '../owned-and-selected.ts'
import type { Days, Selection } from '../selection.ts'
import { type InvoiceRow, invoiceColumns, type ShownRow, shownColumns } from '../store.ts'

export type Page = { orderBy?: InvoiceOrder | undefined; cursor?: Cursor | undefined }

/** Where to look for what is selected: invoice dates other than those of the selection, and a condition. */
type Among = { days?: Days | undefined; where?: SQL | undefined }

/**
 * Rows in reading direction from the cursor on: in their order, or the other way round when it leads back. A search is
 * asked of each row: see `findInvoices`.
 */
export async function listInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  limit: number,
  page: Page,
  among?: Among,
): Promise<InvoiceRow[]> {
  return (await selectInvoices(invoiceColumns, tx, owner, selection, limit, page, among)) as InvoiceRow[]
}

/** The same with what a list shows of each, and no more: nothing else is read as often. */
export async function listShown(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  limit: number,
  page: Page,
): Promise<ShownRow[]> {
  if (!selectsAll(selection)) return selectInvoices(shownColumns, tx, owner, selection, limit, page)
  const { orderBy, cursor } = page
  const shape = `${orderBy} ${cursor?.direction}`
  const run = pages.get(shape) ?? anyPage(orderBy, cursor)
  pages.set(shape, run)
  const key = Object.fromEntries((cursor?.key ?? []).map((part, index) => [`key${index}`, part]))
  return run(tx, owner, { ...key, limit })
}

/** Whether nothing is selected: then each order is that of an index. */
export function selectsAll(selection: Selection): boolean {
  return Object.values(selection).every((one) => one === undefined)
}

/** The pages of all invoices, by their order and direction: most calls ask for no others. */
const pages = new Map<string, ReturnType<typeof anyPage>>()

function anyPage(orderBy: InvoiceOrder | undefined, given: Cursor | undefined) {
  const cursor = given && { ...given, key: given.key.map((_, index) => value<string>(`key${index}`)) }
  return ownedOnce<ShownRow[]>((tx, owner) =>
    selectInvoices(shownColumns, tx, owner, {}, value<number>('limit'), { orderBy, cursor }),
  )
}

function selectInvoices(
  shown: typeof shownColumns,
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  limit: number,
  page: Page,
  { days, where }: Among = {},
) {
  const { columns, ascending } = keysetOf(page.orderBy)
  const { beyond, order } = pageByKey(columns, page.cursor, ascending)
  return tx
    .select(shown)
    .from(invoices)
    .where(and(...owned(owner), ...selected(selection, days), where, beyond))
    .orderBy(order)
    .limit(limit)
}
