import type Big from 'big.js'
import type { Column } from '#lib/platform/files/table.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import { plainAmount } from '#lib/platform/values/money.ts'
import type { Cause } from './cause.ts'

type Value = Pick<Big, 'toFixed'> | undefined

/** Returns the column formatters of a file; amounts are in the row's currency. */
export function columnsOf<Row extends { currency: string }>() {
  return {
    text: (name: string, read: (row: Row) => string | null | undefined): Column<Row> => ({
      name,
      text: (row) => read(row) ?? null,
    }),
    number: (name: string, read: (row: Row) => Value | number): Column<Row> => ({
      name,
      number: (row) => read(row)?.toFixed() ?? null,
    }),
    amount: (name: string, read: (row: Row) => Value): Column<Row> => ({
      name,
      amount: (row) => {
        const value = read(row)
        return value ? plainAmount(value.toFixed(), row.currency) : null
      },
    }),
  }
}

/** Returns the columns of a cause's license change; empty for other causes. */
export function changeColumns<Row extends { currency: string }>(
  causeOf: (row: Row) => Cause | undefined,
): Column<Row>[] {
  const { text, number, amount } = columnsOf<Row>()
  const change = (row: Row) => causeOf(row)?.change
  return [
    {
      name: 'changedOn',
      day: (row) => {
        const at = change(row)?.at
        return at === undefined ? null : dayOf(at)
      },
    },
    text('changedBy', (row) => change(row)?.by),
    number('fromLicenses', (row) => change(row)?.from),
    number('toLicenses', (row) => change(row)?.to),
    text('sure', (row) => change(row)?.sure.toString()),
    text('billed', (row) => change(row)?.billed?.how),
    number('days', (row) => change(row)?.billed?.days),
    number('ofDays', (row) => change(row)?.billed?.ofDays),
    amount('daysAmount', (row) => change(row)?.billed?.daysAmount),
  ]
}

/** Columns of the tax rates in percent; empty where the cause is not a tax rate. */
export function rateColumns<Row extends { currency: string }>(
  causeOf: (row: Row) => Cause | undefined,
): Column<Row>[] {
  const { number } = columnsOf<Row>()
  return [
    number('fromTaxRate', (row) => causeOf(row)?.taxRate?.from),
    number('toTaxRate', (row) => causeOf(row)?.taxRate?.to),
  ]
}
