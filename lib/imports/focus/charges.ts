import Big from 'big.js'
import { quoted } from '#lib/imports/faults.ts'
import { ImportRefused } from '#lib/imports/refused.ts'
import type { ProblemList } from '../problem-list.ts'
import type { Field, Header } from './columns.ts'
import { type BillHead, type ChargeHead, fieldReader } from './fields.ts'

/** The charges of one provider, service and charge category: their number and their exact sum. */
export type ChargeGroup = ChargeHead & { count: number; cost: Big }
/** What becomes one invoice. */
export type Bill = BillHead & { charges: ChargeGroup[] }

type Known = { bill: Bill; groups: Map<string, ChargeGroup> }

/** More than any customer has; each takes some 300 bytes while the file is read. */
const MOST_GROUPS = 1_000_000
const BILL: readonly Field[] = ['invoiceId', 'issuer', 'account', 'currency', 'start', 'end']
const CHARGE: readonly Field[] = ['provider', 'service', 'category']

/** Adds up the rows of a file, so that it takes the memory of its groups, however many rows it has. */
export function gatherCharges(header: Header, problems: ProblemList) {
  const fields = fieldReader(header, problems)
  const bills = new Map<string, Known>()
  // By their fields as they are written: only the first row of a kind is looked at closely.
  const written = new Map<string, Known>()
  let groups = 0

  const billOf = (row: readonly string[], line: number): Known | undefined => {
    const text = keyOf(row, BILL)
    const found = written.get(text)
    if (found) return found
    const head = fields.bill(row, line)
    if (!head) return undefined
    const key = billKey(head)
    const known = bills.get(key) ?? { bill: { ...head, charges: [] }, groups: new Map() }
    if (!join(known.bill, head, line)) return undefined
    bills.set(key, known)
    written.set(text, known)
    return known
  }

  /** One invoice has one issuer and one currency; its period spans those of its charges. */
  const join = (bill: Bill, head: BillHead, line: number): boolean => {
    for (const field of ['issuer', 'currency'] as const) {
      if (bill[field] === head[field]) continue
      const [was, is] = [quoted(bill[field]), quoted(head[field])]
      const reason = `${is}, but invoice ${bill.invoiceId} began with ${was}`
      problems.add({ line, column: header.columnOf(field), reason })
      return false
    }
    bill.start = Math.min(bill.start, head.start)
    bill.end = Math.max(bill.end, head.end)
    return true
  }

  const groupOf = ({ bill, groups: own }: Known, row: readonly string[], line: number) => {
    const text = keyOf(row, CHARGE)
    const found = own.get(text)
    if (found) return found
    const head = fields.charge(row, line)
    if (!head) return undefined
    groups += 1
    if (groups > MOST_GROUPS)
      throw new ImportRefused([{ line, reason: `more than ${MOST_GROUPS} line items: split the file` }])
    const group = { ...head, count: 0, cost: new Big(0) }
    own.set(text, group)
    bill.charges.push(group)
    return group
  }

  const keyOf = (row: readonly string[], of: readonly Field[]) =>
    of.map((field) => header.read(row, field) ?? '').join('\u0000')

  return {
    add(row: readonly string[], line: number): void {
      const cost = fields.cost(row, line)
      const bill = billOf(row, line)
      const group = bill && groupOf(bill, row, line)
      if (!cost || !group) return
      group.count += 1
      group.cost = group.cost.plus(cost)
    },
    bills: (): Bill[] => [...bills.values()].map(({ bill }) => bill),
  }
}

function billKey({ invoiceId, issuer, account, currency, start, end }: BillHead): string {
  return JSON.stringify(invoiceId === undefined ? [issuer, account, currency, start, end] : [invoiceId])
}
