import 'server-only'
import { statusOf } from '#lib/billing/invoices/rules.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { streamScope } from '#lib/platform/db/scope.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { allPages, type Cursor } from '#lib/platform/lists/keyset.ts'
import { plainAmount } from '#lib/platform/values/money.ts'
import { keyOf, listOpenItems, type OpenItem, type Selection } from './store.ts'

type Row = OpenItem & { profile: string }

/** Rows of one statement: few enough to be held, enough to be fast. */
const MOST_ROWS = 1000

const COLUMNS: Column<Row>[] = [
  { name: 'currency', text: ({ currency }) => currency },
  { name: 'billingProfileId', text: ({ billingProfileId }) => billingProfileId },
  { name: 'billingProfileName', text: ({ profile }) => profile },
  { name: 'id', text: ({ id }) => id },
  { name: 'invoiceDate', day: ({ invoiceDate }) => invoiceDate },
  { name: 'dueDate', day: ({ dueDate }) => dueDate },
  { name: 'platform', text: ({ platform }) => platform },
  { name: 'issuer', text: ({ issuer }) => issuer },
  { name: 'status', text: (row) => statusOf(row.balanceAmount, row.dueDate, row.today) },
  // Not as people write it: a spreadsheet takes `1-30` for a day.
  { name: 'age', text: ({ age }) => age },
  { name: 'daysPastDue', number: ({ daysPastDue }) => daysPastDue },
  { name: 'totalAmount', amount: (row) => plainAmount(row.totalAmount, row.currency) },
  { name: 'balanceAmount', amount: (row) => plainAmount(row.balanceAmount, row.currency) },
  { name: 'number', text: ({ number }) => number },
]

/** All open items of a selection at one moment, in the statement's order. */
export function statementTable(caller: Caller, selection: Selection): Table<Row> {
  return { columns: COLUMNS, batches: streamScope(caller, (tx) => pages(tx, caller, selection)) }
}

async function* pages(tx: Transaction, caller: Caller, selection: Selection): AsyncGenerator<Row[]> {
  const profiles = await listBillingProfiles(tx, caller.customerId)
  const names = new Map(profiles.map(({ id, name }) => [id, name]))
  const read = (cursor?: Cursor) => listOpenItems(tx, caller, selection, MOST_ROWS, cursor)
  for await (const rows of allPages(MOST_ROWS, read, keyOf))
    yield rows.map((row) => ({ ...row, profile: names.get(row.billingProfileId) ?? row.billingProfileId }))
}
