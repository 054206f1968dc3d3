import 'server-only'
import { inArray, or } from 'drizzle-orm'
import { isFilled } from '#lib/platform/db/backfill.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { listInvoices, type Page } from '../list/pages.ts'
import { keysetOf } from '../order.ts'
import type { Owner } from '../owned-and-selected.ts'
import { daysOf, type Selection } from '../selection.ts'
import type { InvoiceRow } from '../store.ts'
import { invoiceTokens } from './backfill.ts'
import { findByDate } from './by-date.ts'
import { idsOf, isOneOf, issuersOf, type Search } from './found.ts'

/** So many are sorted where a list has an order of its own; with more, its rows are read until the page is full. */
const MOST_SORTED = 5000

/**
 * Rows of whatever is selected, as `listInvoices` gives them: those of a search by its tokens, in several statements.
 * Until a customer's tokens are all there, each row is asked.
 */
export async function findInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  limit: number,
  page: Page,
): Promise<InvoiceRow[]> {
  const wanted = await byTokens(tx, owner, selection)
  if (!wanted) return listInvoices(tx, owner, selection, limit, page)
  if (keysetOf(page.orderBy).by === 'invoiceDate') return findByDate(tx, owner, wanted, limit, page)
  const [issuers, ids] = await Promise.all([
    issuersOf(tx, owner.customerId, wanted.search),
    idsOf(tx, { customerId: owner.customerId, search: wanted.search, days: daysOf(wanted) }, MOST_SORTED),
  ])
  const where = ids && or(inArray(invoices.issuer, issuers), isOneOf(ids))
  return listInvoices(tx, owner, selection, limit, page, { where })
}

/** The selection, where tokens lead to all that it holds. */
export async function byTokens(
  tx: Transaction,
  { customerId }: Owner,
  { search, ...rest }: Selection,
): Promise<Search | undefined> {
  if (!search || rest.ids || !(await isFilled(tx, customerId, invoiceTokens.name))) return undefined
  return { search, ...rest }
}
