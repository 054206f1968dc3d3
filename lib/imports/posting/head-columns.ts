import 'server-only'
import { sql } from 'drizzle-orm'
import type { StoredInvoice } from '../invoices/stored.ts'
import { HEAD_COLUMNS } from './shapes.ts'

/** An invoice without its lines. */
export type Head = Omit<StoredInvoice, 'lines'>

/** Each column of an invoice that an import writes: its name, its type, and the field that it is read from. */
const COLUMNS: readonly (readonly [column: string, type: string, field: keyof Head])[] = [
  ['id', 'text', 'id'],
  ['number', 'text', 'number'],
  ['is_numbered', 'boolean', 'isNumbered'],
  ['document_state', 'text', 'documentState'],
  ['form', 'text', 'form'],
  ['billing_profile_id', 'text', 'billingProfileId'],
  ['platform', 'text', 'platform'],
  ['issuer', 'text', 'issuer'],
  ['invoice_date', 'date', 'invoiceDate'],
  ['due_date', 'date', 'dueDate'],
  ['currency', 'text', 'currency'],
  ['total_amount', 'numeric', 'totalAmount'],
  ['balance_amount', 'numeric', 'balanceAmount'],
  ['billing_account', 'text', 'billingAccount'],
  ['period_start', 'date', 'periodStart'],
  ['period_end', 'date', 'periodEnd'],
  ['corrects', 'text', 'corrects'],
  ...HEAD_COLUMNS,
  ['carried', 'text[]', 'carried'],
  ['replaced_by', 'text', 'replacedBy'],
  ['is_history', 'boolean', 'isHistory'],
  ['import_id', 'text', 'importId'],
  ['seller_id', 'text', 'sellerId'],
  ['buyer_id', 'text', 'buyerId'],
]
/** What never changes of a row that is there. */
const KEPT = new Set(['id', 'import_id'])

// In a statement: the columns, what is read of them, the record that JSON becomes, and what is written over.
export const names = sql.raw(COLUMNS.map(([column]) => column).join(', '))
export const asFields = sql.raw(
  COLUMNS.map(([column, type, field]) => `${column}${type === 'date' ? '::text' : ''} AS "${field}"`).join(
    ', ',
  ),
)
export const asRecord = sql.raw(COLUMNS.map(([, type, field]) => `"${field}" ${type}`).join(', '))
export const newValues = sql.raw(
  COLUMNS.flatMap(([column]) => (KEPT.has(column) ? [] : `${column} = excluded.${column}`)).join(', '),
)
