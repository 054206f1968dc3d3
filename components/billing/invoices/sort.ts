import { listSort, type SortKeyOf } from '#components/lists/filters/list-sort.ts'
import { hrefOf, type View } from './view.ts'

/** Column that the list of invoices can be sorted by. */
export type SortKey = SortKeyOf<View>

/** The orders of the list of invoices, and the headers that select them. */
export const { sortName, sortableHeaderProps, sortOptions } = listSort<View>(hrefOf, {
  'invoiceDate desc': 'Newest first',
  'invoiceDate asc': 'Oldest first',
  'dueDate asc': 'Due first',
  'dueDate desc': 'Due last',
  'totalAmount desc': 'Highest total first',
  'totalAmount asc': 'Lowest total first',
  'balanceAmount desc': 'Highest balance first',
  'balanceAmount asc': 'Lowest balance first',
})
