import { currencyError } from '#lib/platform/values/currency-codes.ts'
import { amountError, decimalOf } from '#lib/platform/values/decimals.ts'
import { textError } from '#lib/platform/values/text.ts'
import type { ImportProblem } from '../import-error.ts'
import { quoted } from '../value-errors.ts'

/** Credit of a bank file, or a row of a CSV file; the amount is decimal text, the day `YYYY-MM-DD`. */
export type BankTransaction = {
  /** The bank's reference, or one made of the content. */
  reference: string
  paidOn: string
  amount: string
  currency: string
  payer?: string | undefined
  endToEndId?: string | undefined
  remittance?: string | undefined
  /** Numbers of documents that the payer names in fields for them. */
  documentNumbers?: readonly string[] | undefined
  method?: string | undefined
  /** Position in the file, for messages. */
  location: string
  line: number
}

/** Entry that is no credit, with the reason. */
export type LeftOut = { location: string; line: number; reason: string; reference?: string | undefined }

export type BankFile = { transactions: BankTransaction[]; leftOut: LeftOut[] }

/** Longest stored text of a payer. */
export const MAX_REMITTANCE_LENGTH = 2000
/** Longest text of each field. */
const MAX_LENGTHS = {
  reference: 200,
  payer: 300,
  endToEndId: 100,
  remittance: MAX_REMITTANCE_LENGTH,
  method: 100,
} as const
const MAX_NUMBER_LENGTH = 100
const MAX_NUMBERS = 1000

/** Returns the problems of a transaction's values; a file with one is refused. */
export function problemsOf(transaction: BankTransaction): ImportProblem[] {
  const { line, location, paidOn, amount, currency } = transaction
  const problem = (reason: string): ImportProblem => ({ line, subject: location, reason })
  const problems: ImportProblem[] = []
  if (!isDay(paidOn)) problems.push(problem(`${quoted(paidOn)} is no day such as 2026-11-20`))
  const unknown = currencyError(currency)
  if (unknown) problems.push(problem(`its currency ${unknown}`))
  const value = decimalOf(amount)
  const wrong = value ? amountError(value, currency) : 'is no number such as 12.50'
  if (wrong) problems.push(problem(`its amount ${quoted(amount)} ${wrong}`))
  for (const [field, longest] of Object.entries(MAX_LENGTHS)) {
    const text = transaction[field as keyof typeof MAX_LENGTHS]
    const error = text === undefined ? undefined : textError(text, longest)
    if (error) problems.push(problem(`its ${field} ${error}`))
  }
  const numbers = transaction.documentNumbers ?? []
  if (numbers.length > MAX_NUMBERS) problems.push(problem(`names more than ${MAX_NUMBERS} documents`))
  const wrongNumber = numbers.flatMap((number) => textError(number, MAX_NUMBER_LENGTH) ?? [])[0]
  if (wrongNumber) problems.push(problem(`one of its document numbers ${wrongNumber}`))
  return problems
}

/** Returns whether a text is a day of the calendar, `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return /^[1-9]\d{3}-\d{2}-\d{2}$/.test(text) && date.toJSON()?.startsWith(text) === true
}
