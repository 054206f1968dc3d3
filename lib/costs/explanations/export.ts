import { changeColumns, columnsOf, rateColumns } from '#lib/costs/causes/columns.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import type { PlacedCause } from './explanation.ts'
import type { MonthExplanation } from './read.ts'

type Row = PlacedCause & { currency: string; month: string }

const { text, number, amount } = columnsOf<Row>()
const COLUMNS: Column<Row>[] = [
  text('month', ({ month }) => month),
  text('currency', ({ currency }) => currency),
  text('platform', ({ platform }) => platform),
  text('product', ({ description }) => description),
  text('cause', ({ kind }) => kind),
  amount('effectAmount', ({ effect }) => effect),
  number('fromQty', ({ quantity }) => quantity?.from),
  number('toQty', ({ quantity }) => quantity?.to),
  number('fromPrice', ({ price }) => price?.from),
  number('toPrice', ({ price }) => price?.to),
  ...changeColumns<Row>((row) => row),
  number('productCount', ({ products }) => products),
  ...rateColumns<Row>((row) => row),
]

/** A month's causes: the effects of a currency add up to the difference of its totals. */
export function explanationTable({ month, currencies }: MonthExplanation): Table<Row> {
  const batches = currencies.map(({ currency, causes }) =>
    causes.map((cause): Row => ({ ...cause, currency, month: month.begin.slice(0, 7) })),
  )
  return { columns: COLUMNS, batches }
}
