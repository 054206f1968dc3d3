import type { Part } from '#lib/causes/line-match.ts'
import type { Column, Table } from '#lib/files/table.ts'
import { plainAmount } from '#lib/money.ts'
import type { ComparedInvoices } from './compared.ts'
import type { Comparison } from './comparison.ts'

type Side = Pick<Part, 'amount'> & Partial<Part>
type Row = {
  change: string
  reasons: string
  currency: string
  effect: Part['amount']
  from?: Side | undefined
  to?: Side | undefined
}

const text = (name: string, of: (row: Row) => string | null | undefined): Column<Row> => ({
  name,
  text: (row) => of(row) ?? null,
})
const number = (name: string, of: (row: Row) => { toFixed(): string } | undefined): Column<Row> => ({
  name,
  number: (row) => of(row)?.toFixed() ?? null,
})
const amount = (name: string, of: (row: Row) => Part['amount'] | undefined): Column<Row> => ({
  name,
  amount: (row) => {
    const value = of(row)
    return value ? plainAmount(value.toFixed(), row.currency) : null
  },
})

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
]

/**
 * A comparison as a table: what is changed, then what is not, then a row each for rounding, for tax beside the lines and
 * for what is not itemized, where there is any. The effects in the invoices' currency add up to the difference of their totals.
 */
export function comparisonTable({ to, comparison }: ComparedInvoices): Table<Row> {
  const { changes, unchanged } = comparison
  const rows = [...changes, ...unchanged].map(
    ({ kind, reasons, ...change }): Row => ({ ...change, change: kind, reasons: reasons.join(' ') }),
  )
  return { columns: COLUMNS, batches: [rows, restOf(comparison, to.currency)] }
}

function restOf({ from, to, effect }: Comparison, currency: string): Row[] {
  return (['rounding', 'tax', 'notItemized'] as const).flatMap((change) => {
    if (from[change].eq(0) && to[change].eq(0)) return []
    const sides = { from: { amount: from[change] }, to: { amount: to[change] } }
    return [{ change, reasons: '', currency, effect: effect[change], ...sides }]
  })
}
