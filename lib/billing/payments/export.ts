import 'server-only'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { streamScope } from '#lib/platform/db/scope.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { allPages } from '#lib/platform/lists/paging.ts'
import { plainAmount } from '#lib/platform/values/money.ts'
import { keyOf, listPayments, type PaymentPart, type PaymentRow, type PaymentSelection } from './read.ts'

/** Part of a payment: for an invoice, or the customer's credit. Without one, the caller sees none of its parts. */
type Row = { payment: PaymentRow; part?: Partial<PaymentPart> & { amount: string } }

/** Rows of one query, as in other exports. */
const MAX_ROWS = 250

const COLUMNS: Column<Row>[] = [
  { name: 'id', text: ({ payment }) => payment.id },
  { name: 'kind', text: ({ payment }) => payment.kind },
  { name: 'paidDate', day: ({ payment }) => payment.paidOn },
  { name: 'currency', text: ({ payment }) => payment.currency },
  {
    name: 'amount',
    amount: ({ payment: { amount, currency, isWhole } }) => (isWhole ? plainAmount(amount, currency) : null),
  },
  { name: 'invoiceId', text: ({ part }) => part?.wireId ?? null },
  { name: 'number', text: ({ part }) => part?.number ?? null },
  {
    name: 'partAmount',
    amount: ({ payment, part }) => (part ? plainAmount(part.amount, payment.currency) : null),
  },
  { name: 'partDate', day: ({ part }) => part?.bookedOn ?? null },
  { name: 'reference', text: ({ payment }) => payment.reference },
  { name: 'method', text: ({ payment }) => payment.method },
  { name: 'payer', text: ({ payment }) => payment.payer },
  { name: 'endToEndId', text: ({ payment }) => (payment.isWhole ? payment.endToEndId : null) },
  { name: 'remittance', text: ({ payment }) => (payment.isWhole ? payment.remittance : null) },
  { name: 'refundOf', text: ({ payment }) => payment.refundOf },
  { name: 'enteredBy', text: ({ payment }) => payment.enteredBy },
  { name: 'reversedDate', day: ({ payment }) => payment.reversedOn },
  { name: 'reversalReason', text: ({ payment }) => payment.reversalReason },
]

/**
 * Returns the table of all payments of a selection: a row for each part, which add up to the amount if the caller sees
 * all of them.
 */
export function paymentsTable(
  caller: Caller,
  select: (tx: Transaction) => Promise<PaymentSelection>,
): Table<Row> {
  return {
    columns: COLUMNS,
    batches: streamScope(caller, async function* (tx) {
      const selection = await select(tx)
      const read = (cursor?: Parameters<typeof listPayments>[3]['cursor']) =>
        listPayments(tx, caller, selection, { limit: MAX_ROWS, cursor })
      for await (const page of allPages(MAX_ROWS, read, keyOf)) yield page.flatMap(rowsOf)
    }),
  }
}

function rowsOf(payment: PaymentRow): Row[] {
  const credit = payment.isWhole && /[1-9]/.test(payment.credit) ? [{ amount: payment.credit }] : []
  const rows = [...payment.parts, ...credit].map((part) => ({ payment, part }))
  return rows.length > 0 ? rows : [{ payment }]
}
