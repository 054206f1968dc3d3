import Big from 'big.js'
import { currencyError } from '#lib/platform/values/currency-codes.ts'
import { decimalOf } from '#lib/platform/values/decimals.ts'
import { moneyText } from '#lib/platform/values/money.ts'
import { ImportError, type ImportProblem } from '../import-error.ts'
import type { InvoiceReport } from './report.ts'

/** Operator's figures for the files: totals by currency as exact decimal text, and the number of invoices. */
export type Expectations = { totals: Record<string, string>; invoices?: number | undefined }

/**
 * Reads expectations such as `USD=1234.56` and `invoices=12`.
 * @throws Error that names an invalid or repeated text
 */
export function expectationsOf(texts: readonly string[]): Expectations {
  const expected: Expectations = { totals: {} }
  for (const text of texts) {
    const [name = '', value = '', ...more] = text.split('=').map((part) => part.trim())
    const isTwice =
      name === 'invoices' ? expected.invoices !== undefined : Object.hasOwn(expected.totals, name)
    if (isTwice) throw new Error(`"${text}": ${name} is expected already.`)
    const amount = decimalOf(value)
    if (more.length === 0 && name === 'invoices' && /^\d{1,9}$/.test(value)) expected.invoices = Number(value)
    else if (more.length === 0 && amount && !currencyError(name)) expected.totals[name] = amount.toFixed()
    else
      throw new Error(`"${text}" is neither a currency, = and an amount, as in USD=1234.56, nor invoices=12.`)
  }
  return expected
}

/** @throws ImportError that lists each expected figure with the actual one of the files */
export function checkExpectations(
  { sums, invoices }: InvoiceReport,
  { totals, ...expected }: Expectations,
): void {
  const problems: ImportProblem[] = []
  if (expected.invoices !== undefined && expected.invoices !== invoices)
    problems.push({ reason: `${expected.invoices} invoices are expected, and the files have ${invoices}` })
  for (const [currency, total] of Object.entries(totals)) {
    const sum = sums.find((each) => each.currency === currency)
    const actual = sum ? moneyText(sum.invoiced, currency) : `no ${currency}`
    if (!sum || !new Big(sum.invoiced).eq(total))
      problems.push({ reason: `${moneyText(total, currency)} is expected, and the files have ${actual}` })
  }
  if (Object.keys(totals).length > 0)
    for (const { currency, invoiced } of sums)
      if (!(currency in totals))
        problems.push({
          reason: `the files have ${moneyText(invoiced, currency)}, and no --expect names ${currency}`,
        })
  if (problems.length > 0) throw new ImportError(problems)
}
