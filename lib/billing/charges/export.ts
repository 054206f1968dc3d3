import 'server-only'
import { readLines } from '#lib/billing/invoices/store.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { streamScope } from '#lib/platform/db/scope.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { allPages } from '#lib/platform/lists/paging.ts'
import { plainAmount } from '#lib/platform/values/money.ts'
import { type ChargeRow, listCharges } from './store.ts'

type Row = ChargeRow & { line?: { position: number; description: string } | undefined }

/** Rows of one statement, as other exports have them. */
const MAX_ROWS = 250

const COLUMNS: Column<Row>[] = [
  { name: 'charge', number: ({ position }) => position + 1 },
  { name: 'detailId', text: ({ detail }) => detail },
  { name: 'line', number: ({ line }) => (line ? line.position + 1 : null) },
  { name: 'lineDescription', text: ({ line }) => line?.description ?? null },
  { name: 'chargeCategory', text: ({ category }) => category },
  { name: 'chargeClass', text: (row) => row.class },
  { name: 'serviceName', text: ({ service }) => service },
  { name: 'description', text: ({ description }) => description },
  { name: 'periodStart', moment: ({ start }) => (start === null ? null : new Date(start)) },
  { name: 'periodEnd', moment: ({ end }) => (end === null ? null : new Date(end)) },
  { name: 'billingAccount', text: ({ account }) => account },
  { name: 'subAccount', text: ({ subAccount }) => subAccount },
  { name: 'quantity', number: ({ quantity }) => quantity },
  { name: 'unit', text: ({ unit }) => unit },
  { name: 'amount', amount: ({ cost, currency }) => plainAmount(cost, currency) },
  { name: 'currency', text: ({ currency }) => currency },
  { name: 'tags', text: ({ tags }) => tags && JSON.stringify(tags) },
]

/** Returns the table of all charges of an invoice, each with its line. The caller checks access to the invoice. */
export function chargesTable(caller: Caller, id: string): Table<Row> {
  return {
    columns: COLUMNS,
    batches: streamScope(caller, async function* (tx) {
      const lines = await readLines(tx, caller, id)
      const byId = new Map(lines.toReversed().map((line) => [line.detailId, line]))
      const read = (cursor?: Parameters<typeof listCharges>[3]['cursor']) =>
        listCharges(tx, caller, id, { which: undefined, limit: MAX_ROWS, cursor })
      for await (const page of allPages(MAX_ROWS, read, ({ position }) => [String(position)]))
        yield page.map((row) => ({ ...row, line: row.detail === null ? undefined : byId.get(row.detail) }))
    }),
  }
}
