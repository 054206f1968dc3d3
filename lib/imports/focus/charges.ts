import Big from 'big.js'
import { quoted } from '#lib/imports/faults.ts'
import { ImportRefused } from '#lib/imports/refused.ts'
import type { ProblemList } from '../problem-list.ts'
import type { Bill, Known } from './bill.ts'
import type { Field, Header } from './columns.ts'
import { type BillHead, fieldReader } from './fields.ts'
import { overflow } from './overflow.ts'

/** Far more than any invoice has, and as many as one of our own JSON may have. */
const MOST_GROUPS = 100_000
/** Each takes some 1 kB; what is more than these goes to a file for a while. */
const MOST_IN_MEMORY = 20_000

const BILL: readonly Field[] = ['invoiceId', 'issuer', 'account', 'currency', 'start', 'end']
const CHARGE: readonly Field[] = ['provider', 'service', 'category']

/** Adds up the rows of a file, in bounded memory, however many rows and bills it has. `close` it in the end. */
export function gatherCharges(first: Header, problems: ProblemList, mostInMemory = MOST_IN_MEMORY) {
  let header = first
  let fields = fieldReader(first, problems)
  const more = overflow()
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
    const known = bills.get(key) ?? { head: { ...head }, line, groups: new Map() }
    if (!join(known.head, head, line)) return undefined
    bills.set(key, known)
    written.set(text, known)
    return known
  }

  /** One invoice has one issuer and one currency; its period spans those of its charges. */
  const join = (bill: BillHead, head: BillHead, line: number): boolean => {
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

  const groupOf = ({ groups: own }: Known, row: readonly string[], line: number) => {
    const text = keyOf(row, CHARGE)
    const found = own.get(text)
    if (found) return found
    const head = fields.charge(row, line)
    if (!head) return undefined
    groups += 1
    const group = { ...head, count: 0, cost: new Big(0) }
    own.set(text, group)
    return group
  }

  const keyOf = (row: readonly string[], of: readonly Field[]) =>
    of.map((field) => header.read(row, field) ?? '').join('\u0000')

  const putAway = () => {
    more.put(bills)
    bills.clear()
    written.clear()
    groups = 0
  }

  const addTogether = (whole: Known, part: Known) => {
    if (!join(whole.head, part.head, part.line)) return
    for (const [text, group] of part.groups) {
      const known = whole.groups.get(text)
      if (!known) whole.groups.set(text, group)
      else {
        known.count += group.count
        known.cost = known.cost.plus(group.cost)
      }
    }
    if (whole.groups.size > MOST_GROUPS)
      throw new ImportRefused([{ line: part.line, reason: `more than ${MOST_GROUPS} lines of one invoice` }])
  }

  return {
    /** The rows of the next file have these columns. */
    goOn(next: Header): void {
      header = next
      fields = fieldReader(next, problems)
    },
    add(row: readonly string[], line: number): void {
      const cost = fields.cost(row, line)
      const bill = billOf(row, line)
      const group = bill && groupOf(bill, row, line)
      if (!cost || !group) return
      group.count += 1
      group.cost = group.cost.plus(cost)
      if (groups >= mostInMemory) putAway()
    },
    /** All of them, once all rows are added; @throws ImportRefused where what was put away does not go together */
    *bills(): Generator<Bill> {
      if (more.isEmpty()) return yield* [...bills.values()].map(whole)
      putAway()
      let last: { key: string; known: Known } | undefined
      for (const [key, known] of more.inOrder()) {
        if (last?.key === key) addTogether(last.known, known)
        else {
          if (last) yield whole(last.known)
          last = { key, known }
        }
        problems.refuseIfAny()
      }
      if (last) yield whole(last.known)
    },
    close: () => more.close(),
  }
}

function whole({ head, groups }: Known): Bill {
  return { ...head, charges: [...groups.values()] }
}

function billKey({ invoiceId, issuer, account, currency, start, end }: BillHead): string {
  return JSON.stringify(invoiceId === undefined ? [issuer, account, currency, start, end] : [invoiceId])
}
