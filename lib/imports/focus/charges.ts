import Big from 'big.js'
import type { IssuerSpellings } from '#lib/billing/parties/issuer-name.ts'
import { type Charge, chargeReader } from '../charges/charge.ts'
import { sortedRuns } from '../charges/runs.ts'
import type { ProblemList } from '../refused.ts'
import { type Lack, lacking } from '../resale/lacking.ts'
import type { Bill, Known } from './bill.ts'
import type { Field, Header } from './columns.ts'
import { type BillHead, type FieldReader, fieldReader } from './fields.ts'
import { groupsOf, type Kind } from './groups.ts'
import { billKey, joined, joinHead } from './merge.ts'
import { newReading, type Tally } from './reading.ts'
import type { Terms } from './terms.ts'

/** Each takes some 1 kB; what is more than these goes to a file for a while. */
const MOST_IN_MEMORY = 20_000

const BILL: readonly Field[] = ['invoiceId', 'issuer', 'account', 'currency', 'start', 'end']
const ISSUE: readonly Field[] = ['status', 'issueDate', 'dueDate', 'reference', 'terms', 'order']

/** Is given each charge that is invoiced as its vendor billed it, with the key of its bill and the currency. */
export type Keep = (bill: string, currency: string, charge: Charge) => void
/** Rows with the same fields, as they are written: their bill, or that nobody is known whose it is. */
type Written = { key: string; known: Known; tally: Tally; kinds: Map<string, Kind> } | { unowned: Lack }

type Gathering = {
  problems: ProblemList
  /** The names of issuers in all files: two spellings of one are one issuer. */
  issuers: IssuerSpellings
  mostInMemory?: number | undefined
  keep?: Keep | undefined
}

/** Adds up the rows of files, in bounded memory, however many rows and bills they have. `close` it in the end. */
export function gatherCharges(
  terms: Terms,
  { problems, issuers, mostInMemory = MOST_IN_MEMORY, keep }: Gathering,
) {
  const { accounts, issuer } = terms
  const chargeOf = chargeReader(terms.tags)
  const { reading, tallyOf } = newReading()
  const unowned = lacking('is not in the map of accounts')
  const groups = groupsOf(terms, problems, issuers)
  const more = overflow()
  const bills = new Map<string, Known>()
  // By their fields as they are written: only the first row of a kind is looked at closely.
  const written = new Map<string, Written>()
  let entries = 0
  let header: Header
  let fields: FieldReader
  let file: string | undefined
  let billFields = BILL

  const billOf = (row: readonly string[], line: number): Written | undefined => {
    const text = header.keyOf(row, billFields)
    const found = written.get(text)
    if (found) return found
    const head = fields.bill(row, line)
    const opened = head && open(head, row, line)
    if (opened) written.set(text, opened)
    return opened
  }

  const open = (head: BillHead, row: readonly string[], line: number): Written | undefined => {
    const { account = '', currency } = head
    const code = accounts ? fields.code(row, line, 'subAccount') : {}
    if (!code) return undefined
    const subAccount = code.value
    const owner = accounts?.ownerOf(account, subAccount)
    entries += 1
    if (accounts && !owner) {
      const whose = subAccount === undefined ? '' : `sub-account ${subAccount} of `
      return { unowned: unowned.of(`${whose}account ${account}`, currency) }
    }
    // The vendor's number is none of the reseller's.
    const own = issuer === undefined ? { ...head } : { ...head, issuer, invoiceId: undefined }
    const key = billKey(own, issuers.see(own.issuer), owner)
    const known = bills.get(key) ?? { head: own, owner, place: { file, line }, groups: new Map() }
    if (!joinHead(known.head, own, { file, line }, problems)) return undefined
    bills.set(key, known)
    return { key, known, tally: tallyOf(head, owner?.customer), kinds: new Map() }
  }

  const putAway = () => {
    more.put(bills)
    bills.clear()
    written.clear()
    entries = 0
  }

  return {
    reading,
    /** The rows that follow have these columns, and stand in this file. */
    begin(its: Header, name: string | undefined): void {
      header = its
      file = name
      fields = fieldReader(its, problems)
      const issue = its.dataset === 'details' ? ISSUE : []
      billFields = [...BILL, ...(accounts ? (['subAccount'] as const) : []), ...issue]
    },
    add(row: readonly string[], line: number): void {
      reading.rows += 1
      const cost = fields.cost(row, line)
      const bill = billOf(row, line)
      if (!cost || !bill) return
      if ('unowned' in bill) {
        bill.unowned.add(cost)
        return
      }
      const { key, known, tally, kinds } = bill
      const before = kinds.size
      const amount = groups.add(known, kinds, cost, { header, fields, row, place: { file, line } })
      entries += kinds.size - before
      if (!amount) return
      tally.rows += 1
      tally.billed = tally.billed.plus(cost)
      tally.amount = tally.amount.plus(amount)
      reading.used += 1
      keep?.(key, known.head.currency, chargeOf(header, row, cost))
      if (header.dataset === 'charges') reading.charges += 1
      if (entries >= mostInMemory) putAway()
    },
    /** @throws ImportRefused that names the accounts without a customer, or the charges without a price */
    refuseIfAny(): void {
      unowned.refuseIfAny()
      groups.refuseIfAny()
    },
    /** All of them by their keys, once all rows are added; @throws ImportRefused where two parts of one don't agree */
    *bills(): Generator<Bill> {
      if (more.isEmpty()) {
        for (const key of [...bills.keys()].sort()) yield whole(bills.get(key) as Known, issuers)
        return
      }
      putAway()
      for (const known of joined(more.inOrder(), problems)) yield whole(known, issuers)
    },
    close: () => more.close(),
  }
}

function whole({ head, owner, groups }: Known, issuers: IssuerSpellings): Bill {
  const nameOf = (name: string) => issuers.nameOf(issuers.see(name))
  const charges = [...groups.values()].map((group) => ({ ...group, provider: nameOf(group.provider) }))
  return { ...head, issuer: nameOf(head.issuer), owner, charges }
}

/** Bills that memory has no room for, in a temporary folder of this user's alone until `close`. */
type Overflow = {
  put(bills: ReadonlyMap<string, Known>): void
  isEmpty(): boolean
  /** What was put, by key, for a database is slow at rows in no order; of one key, the first that was put first. */
  inOrder(): Generator<[key: string, known: Known]>
  close(): void
}

function overflow(): Overflow {
  const runs = sortedRuns<WrittenBill>((written) => written)
  return {
    put(bills) {
      runs.put([...bills].map(([key, known]) => [key, { ...known, groups: [...known.groups] } as never]))
    },
    isEmpty: runs.isEmpty,
    *inOrder() {
      for (const [key, written] of runs.inOrder()) yield [key, readBill(written)]
    },
    close: runs.close,
  }
}

/** As JSON has it: its exact numbers are text. */
type WrittenGroup = { cost: string; priced?: { billed: string; each?: { quantity: string } } }
type WrittenBill = Omit<Known, 'groups'> & { groups: [string, WrittenGroup][] }

function readBill(known: WrittenBill): Known {
  const groups = known.groups.map(([text, group]) => [text, exact(group)])
  return { ...known, groups: new Map(groups as [string, never][]) }
}

function exact({ priced, ...group }: WrittenGroup) {
  const cost = new Big(group.cost)
  if (!priced) return { ...group, cost }
  const each = priced.each && { ...priced.each, quantity: new Big(priced.each.quantity) }
  return { ...group, cost, priced: { ...priced, billed: new Big(priced.billed), each } }
}
