import 'server-only'
import Big from 'big.js'
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import type { KeyColumn } from '#lib/platform/lists/paging.ts'
import type { SortSpec } from '#lib/platform/lists/parameters.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import type { Invoice } from './contract.ts'
import type { InvoiceSortKey } from './rules.ts'

export type InvoiceSort = SortSpec<InvoiceSortKey>

/** Default order of the list: newest first. */
const DEFAULT_SORT: InvoiceSort = 'invoiceDate desc'

// PostgreSQL has no year 0.
export const Day = z.iso.date().regex(/^(?!0000)/)
const Amount = z.string().regex(/^-?\d{1,40}(\.\d{1,100})?$/)
export const Id = z
  .string()
  .max(300)
  .regex(/^[^\0]+$/)

/** Columns of each order; lib/platform/db/schema/columns.ts explains why amounts have sort columns. */
const SORTS = {
  invoiceDate: invoices.invoiceDate,
  dueDate: invoices.dueDate,
  totalAmount: invoices.totalSort,
  balanceAmount: invoices.balanceSort,
}

/** Returns the keyset of an order: sort key, direction, and the values that a page token may contain. */
export function keysetOf(sort: InvoiceSort = DEFAULT_SORT) {
  const [by, direction] = sort.split(' ') as [InvoiceSortKey, 'asc' | 'desc']
  const isDay = by === 'invoiceDate' || by === 'dueDate'
  const read = (text: string) => (isDay ? sql`${text}::date` : sql`${text}::double precision`)
  const columns: KeyColumn[] = [{ column: SORTS[by], read }, { column: invoices.id }]
  return { columns, by, ascending: direction === 'asc', Key: z.tuple([isDay ? Day : Amount, Id]) }
}

/** Returns the sort key of a row, for page tokens. */
export function keyOf(row: Record<InvoiceSortKey | 'id', string>, sort?: InvoiceSort): string[] {
  return [row[keysetOf(sort).by], row.id]
}

/** Returns the sort key of an invoice in an answer: amounts there are exact, and so is their text. */
export function keyOfAnswered(invoice: Pick<Invoice, InvoiceSortKey | 'id'>, sort?: InvoiceSort): string[] {
  const { by } = keysetOf(sort)
  const isDay = by === 'invoiceDate' || by === 'dueDate'
  const value = invoice[by]
  return [isDay ? dayOf(value) : new Big(value).toFixed(), invoice.id]
}
