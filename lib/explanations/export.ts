import { dayOf } from '#lib/days.ts'
import type { Column, Table } from '#lib/files/table.ts'
import { plainAmount } from '#lib/money.ts'
import type { PlacedCause } from './explanation.ts'
import type { MonthExplanation } from './read.ts'

type Row = PlacedCause & { currency: string; month: string }
type Value = { toFixed(): string } | undefined

const text = (name: string, of: (row: Row) => string | undefined): Column<Row> => ({
  name,
  text: (row) => of(row) ?? null,
})
const number = (name: string, of: (row: Row) => Value | number): Column<Row> => ({
  name,
  number: (row) => of(row)?.toFixed() ?? null,
})
const amount = (name: string, of: (row: Row) => Value): Column<Row> => ({
  name,
  amount: (row) => {
    const value = of(row)
    return value ? plainAmount(value.toFixed(), row.currency) : null
  },
})

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
  { name: 'changedOn', day: ({ change }) => (change ? dayOf(change.at) : null) },
  text('changedBy', ({ change }) => change?.by),
  number('fromLicenses', ({ change }) => change?.from),
  number('toLicenses', ({ change }) => change?.to),
  text('sure', ({ change }) => change && String(change.sure)),
  text('billed', ({ change }) => change?.billed?.how),
  number('days', ({ change }) => change?.billed?.days),
  number('ofDays', ({ change }) => change?.billed?.ofDays),
  amount('daysAmount', ({ change }) => change?.billed?.daysAmount),
  number('productCount', ({ products }) => products),
]

/** A month's causes: the effects of a currency add up to the difference of its totals. */
export function explanationTable({ month, currencies }: MonthExplanation): Table<Row> {
  const batches = currencies.map(({ currency, causes }) =>
    causes.map((cause): Row => ({ ...cause, currency, month: month.begin.slice(0, 7) })),
  )
  return { columns: COLUMNS, batches }
}
