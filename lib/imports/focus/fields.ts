import type Big from 'big.js'
import { currencyFault } from '#lib/currencies.ts'
import { decimalOf } from '#lib/decimals.ts'
import { decimalFault, quoted, textFault } from '#lib/imports/faults.ts'
import type { ProblemList } from '../problem-list.ts'
import { timeOf } from '../times.ts'
import type { Field, Header } from './columns.ts'

/** Whose bill a charge belongs on. Times are epoch milliseconds; the end is exclusive. */
export type BillHead = {
  invoiceId: string | undefined
  issuer: string
  account: string
  currency: string
  start: number
  end: number
}
/** What a charge is for. */
export type ChargeHead = { provider: string; service: string; category: string }

/** Reads a row's fields; each is undefined where it is at fault, and the problem is on the list then. */
export type FieldReader = {
  cost(row: readonly string[], line: number): Big | undefined
  bill(row: readonly string[], line: number): BillHead | undefined
  charge(row: readonly string[], line: number): ChargeHead | undefined
}

const LONGEST = 300

export function fieldReader({ read, columnOf }: Header, problems: ProblemList): FieldReader {
  const fault = (line: number, field: Field, reason: string) => {
    problems.add({ line, column: columnOf(field), reason })
    return undefined
  }

  const text = (row: readonly string[], line: number, field: Field) => {
    const value = read(row, field)
    if (value === undefined) return fault(line, field, 'is empty')
    const reason = textFault(value, LONGEST)
    return reason === undefined ? value : fault(line, field, reason)
  }

  const time = (row: readonly string[], line: number, field: Field) => {
    const value = text(row, line, field)
    return value && (timeOf(value) ?? fault(line, field, `${quoted(value)} is not a date`))
  }

  const invoiceId = (row: readonly string[], line: number) => {
    const value = read(row, 'invoiceId')
    if (value === undefined) return {}
    const id = text(row, line, 'invoiceId')
    // A URL with such a step in its path leads elsewhere.
    if (id === '.' || id === '..') return fault(line, 'invoiceId', `${quoted(id)} can not be an id`)
    return id === undefined ? undefined : { id }
  }

  return {
    cost(row, line) {
      const value = read(row, 'cost')
      if (value === undefined) return fault(line, 'cost', 'is empty')
      return decimalOf(value) ?? fault(line, 'cost', decimalFault(value))
    },
    bill(row, line) {
      const issuer = text(row, line, 'issuer')
      const account = text(row, line, 'account')
      const currency = text(row, line, 'currency')
      const start = time(row, line, 'start')
      const end = time(row, line, 'end')
      const own = invoiceId(row, line)
      const unknown = currency && currencyFault(currency)
      if (unknown) return fault(line, 'currency', unknown)
      if (!issuer || !account || !currency || !start || !end || !own) return undefined
      if (start >= end) return fault(line, 'end', 'is not after BillingPeriodStart')
      return { invoiceId: own.id, issuer, account, currency, start, end }
    },
    charge(row, line) {
      const provider = text(row, line, 'provider')
      const category = text(row, line, 'category')
      // Taxes and round-offs come without a service.
      const service = read(row, 'service') === undefined ? category : text(row, line, 'service')
      return provider && category && service ? { provider, service, category } : undefined
    },
  }
}
