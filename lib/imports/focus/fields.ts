import type Big from 'big.js'
import { quoted } from '#lib/imports/faults.ts'
import { currencyFault } from '#lib/platform/values/currencies.ts'
import type { ProblemList } from '../problem-list.ts'
import { cellReader } from './cells.ts'
import type { Header } from './columns.ts'
import { type Issue, issueOf } from './issue.ts'

/** Whose bill a charge belongs on. Times are epoch milliseconds; the end is exclusive. */
export type BillHead = {
  invoiceId: string | undefined
  issuer: string
  /** Absent: its charges are of several. */
  account: string | undefined
  /** These several, in order. */
  accounts?: string[] | undefined
  currency: string
  start: number
  end: number
  /** Only of an invoice that its issuer tells of in invoice details. */
  issue?: Issue | undefined
}
/** What a charge is for. */
export type ChargeHead = {
  provider: string
  service: string
  category: string
  /** Only where it has a price of its own. */
  sku?: string | undefined
  /** The vendor's id of an invoice's line. */
  detail?: string | undefined
}

/** Reads a row's fields; each is undefined where it is at fault, and the problem is on the list then. */
export type FieldReader = {
  cost(row: readonly string[], line: number): Big | undefined
  quantity(row: readonly string[], line: number): Big | undefined
  /** An amount in any other column. */
  amount(row: readonly string[], line: number, column: string): Big | undefined
  bill(row: readonly string[], line: number): BillHead | undefined
  charge(row: readonly string[], line: number): ChargeHead | undefined
  /** May be empty, and is `{}` then. */
  code(row: readonly string[], line: number, field: 'subAccount' | 'sku'): { value?: string } | undefined
}

export function fieldReader(header: Header, problems: ProblemList): FieldReader {
  const { read, readColumn, columnOf, dataset } = header
  const cells = cellReader(header, problems)
  const { text, textIfAny, time, fault, decimal } = cells

  const invoiceId = (row: readonly string[], line: number) => {
    const id = textIfAny(row, line, 'invoiceId')
    // A URL with such a step in its path leads elsewhere.
    if (id?.value === '.' || id?.value === '..')
      return fault(line, 'invoiceId', `${quoted(id.value)} can not be an id`)
    return id
  }

  return {
    cost: (row, line) => decimal(read(row, 'cost'), line, columnOf('cost')),
    quantity: (row, line) => decimal(read(row, 'quantity'), line, columnOf('quantity')),
    amount: (row, line, column) => decimal(readColumn(row, column), line, column),
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
      const head = { invoiceId: own.value, issuer, account, currency, start, end }
      if (dataset === 'charges') return head
      const issue = issueOf(cells, row, line, own.value)
      return issue && { ...head, issue }
    },
    code: textIfAny,
    charge(row, line) {
      const provider = text(row, line, 'provider')
      const category = text(row, line, 'category')
      // Taxes and round-offs come without a service.
      const service = read(row, 'service') === undefined ? category : text(row, line, 'service')
      const detail = textIfAny(row, line, 'detail')
      if (!provider || !category || !service || !detail) return undefined
      return { provider, service, category, detail: detail.value }
    },
  }
}
