import Big from 'big.js'
import type { IssuerSpellings } from '#lib/imports/focus/issuer-spellings.ts'
import { type Charge, chargeReader } from '../charges/charge.ts'
import { sortedRuns } from '../charges/runs.ts'
import type { ProblemList } from '../import-error.ts'
import { type Lack, missingList } from '../resale/missing.ts'
import type { Bill, BillBuilder } from './bill.ts'
import type { Field, Header } from './columns.ts'
import { type BillHeader, type FieldReader, fieldReader } from './fields.ts'
import { groupsOf, type Kind } from './groups.ts'
import { billKey, joined, mergeHeader } from './merge.ts'
import { createReadSummary, type Tally } from './read-summary.ts'
import type { Terms } from './terms.ts'

/** A row takes some 1 kB; rows beyond this number go to a temporary file. */
const MAX_IN_MEMORY = 20_000

const BILL: readonly Field[] = ['invoiceId', 'issuer', 'account', 'currency', 'start', 'end']
const ISSUE: readonly Field[] = ['status', 'issueDate', 'dueDate', 'reference', 'terms', 'order']

/** Is given each charge that is invoiced as its vendor billed it, with the key of its bill and the currency. */
export type ChargeSink = (bill: string, currency: string, charge: Charge) => void
/** Rows with the same fields, as they are spooled: their bill, or the fact that their customer is unknown. */
type Written = { key: string; bill: BillBuilder; tally: Tally; kinds: Map<string, Kind> } | { unowned: Lack }

type Gathering = {
  problems: ProblemList
  /** The names of issuers in all files: two spellings of one are one issuer. */
  issuers: IssuerSpellings
  mostInMemory?: number | undefined
  onCharge?: ChargeSink | undefined
}

/** Adds up the rows of files, in bounded memory, however many rows and bills they have. `close` it in the end. */
export function gatherCharges(
  terms: Terms,
  { problems, issuers, mostInMemory = MAX_IN_MEMORY, onCharge }: Gathering,
) {
  const { accounts, issuer } = terms
  const chargeOf = chargeReader(terms.tags)
  const { summary, tallyOf } = createReadSummary()
  const unowned = missingList('is not in the account map')
  const groups = groupsOf(terms, problems, issuers)
  const more = overflow()
  const bills = new Map<string, BillBuilder>()
  // By their fields as they are written: only the first row of a kind is looked at closely.
  const written = new Map<string, Written>()
  let entries = 0
  let header: Header
  let fields: FieldReader
  let file: string | undefined
  let billFields = BILL

  const billOf = (row: readonly string[], line: number): Written | undefined => {
    const text = header.keyOf(row, billFields)
    const entry = written.get(text)
    if (entry) return entry
    const billHeader = fields.bill(row, line)
    const opened = billHeader && open(billHeader, row, line)
    if (opened) written.set(text, opened)
    return opened
  }

  const open = (billHeader: BillHeader, row: readonly string[], line: number): Written | undefined => {
    const { account = '', currency } = billHeader
    const code = accounts ? fields.code(row, line, 'subAccount') : {}
    if (!code) return undefined
    const subAccount = code.value
    const owner = accounts?.ownerOf(account, subAccount)
    entries += 1
    if (accounts && !owner) {
      const whose = subAccount === undefined ? '' : `sub-account ${subAccount} of `
      return { unowned: unowned.entryFor(`${whose}account ${account}`, currency) }
    }
    // The vendor's number is none of the reseller's.
    const issuerHeader =
      issuer === undefined ? { ...billHeader } : { ...billHeader, issuer, invoiceId: undefined }
    const key = billKey(issuerHeader, issuers.see(issuerHeader.issuer), owner)
    const bill = bills.get(key) ?? {
      header: issuerHeader,
      owner,
      location: { file, line },
      groups: new Map(),
    }
    if (!mergeHeader(bill.header, issuerHeader, { file, line }, problems)) return undefined
    bills.set(key, bill)
    return { key, bill, tally: tallyOf(billHeader, owner?.customer), kinds: new Map() }
  }

  const putAway = () => {
    more.put(bills)
    bills.clear()
    written.clear()
    entries = 0
  }

  return {
    summary,
    /** Sets the columns and the file name of the rows that follow. */
    begin(its: Header, name: string | undefined): void {
      header = its
      file = name
      fields = fieldReader(its, problems)
      const issue = its.dataset === 'details' ? ISSUE : []
      billFields = [...BILL, ...(accounts ? (['subAccount'] as const) : []), ...issue]
    },
    add(row: readonly string[], line: number): void {
      summary.rows += 1
      const cost = fields.cost(row, line)
      const entry = billOf(row, line)
      if (!cost || !entry) return
      if ('unowned' in entry) {
        entry.unowned.add(cost)
        return
      }
      const { key, bill, tally, kinds } = entry
      const before = kinds.size
      const amount = groups.add(bill, kinds, cost, { header, fields, row, location: { file, line } })
      entries += kinds.size - before
      if (!amount) return
      tally.rows += 1
      tally.billed = tally.billed.plus(cost)
      tally.amount = tally.amount.plus(amount)
      summary.used += 1
      onCharge?.(key, bill.header.currency, chargeOf(header, row, cost))
      if (header.dataset === 'charges') summary.charges += 1
      if (entries >= mostInMemory) putAway()
    },
    /** @throws ImportError that names the accounts without a customer, or the charges without a price */
    throwIfAny(): void {
      unowned.throwIfAny()
      groups.throwIfAny()
    },
    /** All of them by their keys, once all rows are added; @throws ImportError where two parts of one don't agree */
    *bills(): Generator<Bill> {
      if (more.isEmpty()) {
        for (const key of [...bills.keys()].sort()) yield whole(bills.get(key) as BillBuilder, issuers)
        return
      }
      putAway()
      for (const bill of joined(more.sorted(), problems)) yield whole(bill, issuers)
    },
    close: () => more.close(),
  }
}

function whole({ header, owner, groups }: BillBuilder, issuers: IssuerSpellings): Bill {
  const nameOf = (name: string) => issuers.nameOf(issuers.see(name))
  const charges = [...groups.values()].map((group) => ({ ...group, provider: nameOf(group.provider) }))
  return { ...header, issuer: nameOf(header.issuer), owner, charges }
}

/** Bills that exceed the memory limit, in a temporary folder that only this user can read, until `close`. */
type Overflow = {
  put(bills: ReadonlyMap<string, BillBuilder>): void
  isEmpty(): boolean
  /** Yields the entries by key, because a database is slow at unsorted rows; within one key, in order of insertion. */
  sorted(): Generator<[key: string, known: BillBuilder]>
  close(): void
}

function overflow(): Overflow {
  const runs = sortedRuns<WrittenBill>((written) => written)
  return {
    put(bills) {
      runs.put([...bills].map(([key, bill]) => [key, { ...bill, groups: [...bill.groups] } as never]))
    },
    isEmpty: runs.isEmpty,
    *sorted() {
      for (const [key, written] of runs.sorted()) yield [key, readBill(written)]
    },
    close: runs.close,
  }
}

/** Group as JSON, with exact numbers as text. */
type WrittenGroup = { cost: string; priced?: { billed: string; each?: { quantity: string } } }
type WrittenBill = Omit<BillBuilder, 'groups'> & { groups: [string, WrittenGroup][] }

function readBill(bill: WrittenBill): BillBuilder {
  const groups = bill.groups.map(([text, group]) => [text, exact(group)])
  return { ...bill, groups: new Map(groups as [string, never][]) }
}

function exact({ priced, ...group }: WrittenGroup) {
  const cost = new Big(group.cost)
  if (!priced) return { ...group, cost }
  const each = priced.each && { ...priced.each, quantity: new Big(priced.each.quantity) }
  return { ...group, cost, priced: { ...priced, billed: new Big(priced.billed), each } }
}
