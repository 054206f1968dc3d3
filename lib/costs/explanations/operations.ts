import 'server-only'
import { changeColumns, columnsOf, rateColumns } from '#lib/costs/causes/columns.ts'
import { serializeCause } from '#lib/costs/causes/serialize.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { csvReply } from '#lib/platform/files/csv.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { xlsxReply } from '#lib/platform/files/workbook.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { summed } from '#lib/platform/values/decimals.ts'
import type { InvoiceExplanation } from './contract.ts'
import * as contract from './contract.ts'
import type { PlacedCause } from './explanation.ts'
import { type MonthExplanation, readExplanation } from './read.ts'

export const explainMonth = operation(contract.explainMonth, async (caller, { query }) => ({
  body: serializeExplanation(await readExplanation(caller, query)),
}))

export const exportExplanation = operation(contract.exportExplanation, async (caller, { query }) => {
  const { separator, decimal, ...filters } = query
  const table = explanationTable(await readExplanation(caller, filters))
  return csvReply(`explanation-${query.month}`, table, { separator, decimal })
})

export const exportExplanationXlsx = operation(contract.exportExplanationXlsx, async (caller, { query }) => {
  const table = explanationTable(await readExplanation(caller, query))
  return xlsxReply(`explanation-${query.month}`, 'Causes', table)
})

function serializeExplanation({ month, currencies, months }: MonthExplanation): InvoiceExplanation {
  return {
    month: epochOfDay(month.begin),
    previousMonth: epochOfDay(month.before),
    currencies: currencies.map(({ currency, from, to, causes, unchanged, tax }) => ({
      currency,
      fromCount: from.count,
      toCount: to.count,
      ...summed('fromAmount', from.total),
      ...summed('toAmount', to.total),
      ...summed('effectAmount', to.total.minus(from.total)),
      causes: causes.map((cause) => serializeCause(cause, cause)),
      unchangedCount: unchanged,
      ...(tax ? { tax } : {}),
    })),
    months: months.map(epochOfDay),
  }
}

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

/** Returns the table of a month's causes: the effects per currency add up to the difference of its totals. */
function explanationTable({ month, currencies }: MonthExplanation): Table<Row> {
  const batches = currencies.map(({ currency, causes }) =>
    causes.map((cause): Row => ({ ...cause, currency, month: month.begin.slice(0, 7) })),
  )
  return { columns: COLUMNS, batches }
}
