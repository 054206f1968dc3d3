import type { Cause } from '#lib/costs/causes/cause.ts'
import { changeColumns, columnsOf, rateColumns } from '#lib/costs/causes/columns.ts'
import type { Part } from '#lib/costs/causes/line-match.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import type { InvoiceCause } from './causes.ts'
import type { ComparedInvoices } from './compared.ts'
import type { Comparison } from './comparison.ts'

type Side = Partial<Part>
type Row = {
  change: string
  reasons: string
  currency: string
  /** Set on lines; causes carry effects of their own. */
  effect?: Part['amount']
  cause?: Cause
  from?: Side | undefined
  to?: Side | undefined
}

const { text, number, amount } = columnsOf<Row>()
const COLUMNS: Column<Row>[] = [
  text('change', ({ change }) => change),
  text('reasons', ({ reasons }) => reasons),
  text('type', ({ from, to }) => (to ?? from)?.type),
  text('description', ({ from, to }) => (to ?? from)?.description),
  text('fromDetails', ({ from }) => from?.details),
  text('toDetails', ({ to }) => to?.details),
  text('currency', ({ currency }) => currency),
  number('fromLines', ({ from }) => from?.lines),
  number('toLines', ({ to }) => to?.lines),
  number('fromQty', ({ from }) => from?.qty),
  number('toQty', ({ to }) => to?.qty),
  number('fromPrice', ({ from }) => from?.price),
  number('toPrice', ({ to }) => to?.price),
  amount('fromAmount', ({ from }) => from?.amount),
  amount('toAmount', ({ to }) => to?.amount),
  amount('effectAmount', ({ effect }) => effect),
  text('cause', ({ cause }) => cause?.kind),
  amount('causeAmount', ({ cause }) => cause?.effect),
  ...changeColumns<Row>(({ cause }) => cause),
  ...rateColumns<Row>(({ cause }) => cause),
]

/**
 * Returns a comparison as a table: changed rows, unchanged rows, then a row each for rounding, tax outside of lines and
 * amounts without lines, if any, and finally the causes. The effects in the invoices' currency add up to the difference
 * of their totals, and so do the amounts of the causes.
 */
export function comparisonTable({ to, comparison, causes }: ComparedInvoices): Table<Row> {
  const { changes, unchanged } = comparison
  const rows = [...changes, ...unchanged].map(
    ({ kind, reasons, ...change }): Row => ({ ...change, change: kind, reasons: reasons.join(' ') }),
  )
  return {
    columns: COLUMNS,
    batches: [rows, restOf(comparison, to.currency), causes.map((cause) => rowOf(cause, to))],
  }
}

function restOf({ from, to, effect }: Comparison, currency: string): Row[] {
  return (['rounding', 'tax', 'notItemized'] as const).flatMap((change) => {
    if (from[change].eq(0) && to[change].eq(0)) return []
    const sides = { from: { amount: from[change] }, to: { amount: to[change] } }
    return [{ change, reasons: '', currency, effect: effect[change], ...sides }]
  })
}

function rowOf(cause: InvoiceCause, { platform: type, currency }: ComparedInvoices['to']): Row {
  const side = (which: 'from' | 'to'): Side => ({
    ...(cause.description === undefined ? {} : { type, description: cause.description }),
    ...(cause.quantity ? { qty: cause.quantity[which] } : {}),
    ...(cause.price ? { price: cause.price[which] } : {}),
  })
  return { change: 'cause', reasons: '', currency, cause, from: side('from'), to: side('to') }
}
