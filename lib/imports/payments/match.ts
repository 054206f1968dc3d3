import { Exact } from '#lib/platform/values/decimals.ts'
import type { BankTransaction } from './transaction.ts'

/** Issued invoice that a transaction may pay; `open` is its payable amount, as exact decimal text. */
export type Candidate = {
  id: string
  /** Id on the wire. */
  wireId: string
  number: string
  currency: string
  dueDate: string
  open: string
}

export type Match = { by: 'end-to-end reference' | 'invoice number' | 'amount'; invoices: Candidate[] }

/**
 * Finds the invoices that a transaction pays: by its end-to-end reference, by the numbers that it names, or by its amount
 * if the payer is the customer. Undefined if none fits, or more than one document fits equally.
 * @param payers names of the customer and of those whom its invoices are addressed to
 */
export function matchTransaction(
  transaction: BankTransaction,
  candidates: readonly Candidate[],
  payers: readonly string[],
): Match | undefined {
  const payable = candidates.filter(({ currency }) => currency === transaction.currency)
  const { endToEndId, documentNumbers = [], remittance = '' } = transaction
  const endToEnd = endToEndId === undefined ? [] : sameAs(payable, endToEndId)
  if (endToEnd.length > 0) return only('end-to-end reference', endToEnd, transaction)
  const inFields = documentNumbers.flatMap((text) => {
    const same = sameAs(payable, text)
    return same.length > 0 ? same : sameAs(payable, text.replace(/^RF\d\d/i, ''))
  })
  const named = new Set([...inFields, ...namedIn(payable, remittance)])
  if (named.size > 0) return only('invoice number', [...named], transaction)
  const isPayer =
    transaction.payer !== undefined && payers.some((name) => isSameName(name, transaction.payer ?? ''))
  const equal = isPayer ? payable.filter(({ open }) => new Exact(open).eq(transaction.amount)) : []
  return equal.length === 1 ? { by: 'amount', invoices: equal } : undefined
}

function numbered(candidates: readonly Candidate[], isNamed: (number: string) => boolean): Candidate[] {
  return candidates.filter(({ number, wireId }) => isNamed(number) || isNamed(wireId))
}

/** Returns the invoices of this number; those that differ from it in punctuation only if no other has it. */
function sameAs(candidates: readonly Candidate[], text: string): Candidate[] {
  const exact = numbered(candidates, (number) => upperCased(number) === upperCased(text))
  return exact.length > 0 ? exact : numbered(candidates, (number) => isSame(number, text))
}

/** Returns the invoices that a text names; those with a number that the bank has broken only if it names no other. */
function namedIn(candidates: readonly Candidate[], text: string): Candidate[] {
  if (text === '') return []
  const whole = numbered(candidates, (number) => names(text, number))
  return whole.length > 0 ? whole : numbered(candidates, (number) => namesBroken(text, number))
}

/**
 * Sorts the invoices by due date. Of several documents with one number, in any letters and punctuation, the one whose open
 * amount is the transaction's, or the only open one; undefined if that is not one.
 */
function only(
  by: Match['by'],
  matches: readonly Candidate[],
  { amount }: BankTransaction,
): Match | undefined {
  const invoices: Candidate[] = []
  for (const same of Map.groupBy(matches, ({ number }) => plain(number)).values()) {
    const open = same.length > 1 ? same.filter((one) => new Exact(one.open).gt(0)) : same
    const exact = open.length > 1 ? open.filter((one) => new Exact(one.open).eq(amount)) : open
    const [one, ...others] = exact
    if (!one || others.length > 0) return undefined
    invoices.push(one)
  }
  return { by, invoices: invoices.toSorted((a, b) => (a.dueDate + a.id < b.dueDate + b.id ? -1 : 1)) }
}

const upperCased = (text: string) => text.trim().toUpperCase()
const plain = (text: string) => text.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

function isSame(number: string, text: string): boolean {
  return plain(number) !== '' && plain(number) === plain(text)
}

/** Shortest number that is looked for within a text; a shorter one of digits could be a year or an amount. */
const MIN_NUMBER_LENGTH = 4
const MIN_DIGITS_LENGTH = 5

/** Returns whether a text names a number, separated from others. */
function names(text: string, number: string): boolean {
  if (number.length < (/^\d+$/.test(number) ? MIN_DIGITS_LENGTH : MIN_NUMBER_LENGTH)) return false
  return containsNumber(text.toUpperCase(), number.toUpperCase())
}

/** Returns whether a text names a number within which the bank has broken the line. */
function namesBroken(text: string, number: string): boolean {
  const squeezed = (one: string) => one.toUpperCase().replaceAll(/\s+/g, '')
  return (
    /\d/.test(number) &&
    number.length > MIN_DIGITS_LENGTH &&
    containsNumber(squeezed(text), squeezed(number), /[\p{N}]/u)
  )
}

function containsNumber(text: string, number: string, inside = /[\p{L}\p{N}]/u): boolean {
  for (let at = text.indexOf(number); at !== -1; at = text.indexOf(number, at + 1)) {
    const before = text[at - 1] ?? ' '
    const after = text.slice(at + number.length, at + number.length + 2)
    const isWithin = inside.test(before) || inside.test(after[0] ?? ' ') || /^[-/.~]\p{N}/u.test(after)
    if (!isWithin) return true
  }
  return false
}

/** Compares names without case, punctuation and legal form. */
function isSameName(a: string, b: string): boolean {
  const bare = (name: string) =>
    plain(name.replaceAll(/\b(ag|gmbh|ltd|limited|inc|llc|sa|sarl|bv|kg|co|corp|plc|oy|ab|as)\b\.?/gi, ''))
  return bare(a) !== '' && bare(a) === bare(b)
}
