import Big from 'big.js'
import type { ImportProblem } from '../refused.ts'
import type { NewInvoice } from '../shapes.ts'
import { differencesOf, movesFrom } from './differences.ts'
import type { StoredInvoice } from './stored.ts'

/** What became of one invoice of a file: `unclear`, where it may be that of another issuer, and was left out. */
export type Result = {
  /** As it was given. */
  given: NewInvoice
  /** With the issuer and number that it is stored by. */
  invoice: NewInvoice
  what: Fate['what'] | 'unclear'
  /** Of an unclear one, what it looks like. */
  like?: { issuer: string; number: string }
}

/** What becomes of one invoice of a file. */
export type Fate =
  /** A row of its own. */
  | { what: 'added' }
  | { what: 'unchanged' }
  /** Charges that an invoice bills by now: nothing is stored of them, and a draft of them goes. */
  | { what: 'billed' }
  /** Its balance, or what was not known of it, is written down. */
  | { what: 'moved' }
  /** A draft is written over, and may be issued by that. */
  | { what: 'redrafted' }
  | { what: 'voided' }
  /** Only where the operator says so: the stored one is voided, and the given one comes into its place. */
  | { what: 'corrected'; problems: ImportProblem[]; isAllowed?: boolean }
  | { what: 'refused'; problems: ImportProblem[] }

/**
 * An invoice goes from draft to issued to voided and never back. What is issued may move in balance; anything else of
 * it is a correction.
 * @param stored what is there under its number: the one that is not voided, else one that is
 */
export function fateOf(given: NewInvoice, stored: StoredInvoice | undefined): Fate {
  const { documentState = 'issued' } = given
  if (!stored) return { what: 'added' }
  if (given.form === 'summary' && isIssuersOwn(stored)) return fateOfCharges(given, stored)
  if (stored.documentState === 'voided') return fateOfVoided(given, stored)
  if (isOfAnother(given, stored)) {
    const reason = `is that of account ${stored.billingAccount}, and account ${given.billingAccount} came to the same number`
    return refused(given, `${reason}: import it as JSON with a number of its own`)
  }
  if (documentState === 'voided') return { what: 'voided' }
  if (stored.documentState === 'issued') return fateOfIssued(given, stored)
  const isSame =
    documentState === 'draft' && differencesOf(stored, given).length === 0 && !movesFrom(stored, given)
  return { what: isSame ? 'unchanged' : 'redrafted' }
}

/** What is issued moves, or is corrected. */
function fateOfIssued(given: NewInvoice, stored: StoredInvoice): Fate {
  const paid = new Big(stored.totalAmount).minus(stored.balanceAmount)
  const isOfCharges = stored.form === 'summary' && isIssuersOwn(given)
  if (given.documentState === 'draft' && !(isOfCharges && paid.eq(0)))
    return refused(given, 'is issued already, and the file has it as a draft of before')
  if (given.currency !== stored.currency && given.balanceAmount === undefined && !paid.eq(0)) {
    const settled = `${paid.toFixed()} ${stored.currency} of it is settled already`
    return refused(given, `${settled}, and the file has it in ${given.currency}: give its balance, too`)
  }
  const problems = differencesOf(stored, given)
  // What we made of charges gives way to what its issuer says.
  if (isOfCharges) return { what: 'corrected', problems: [...problems, ofCharges(given)], isAllowed: true }
  if (problems.length > 0) return { what: 'corrected', problems }
  return { what: movesFrom(stored, given) ? 'moved' : 'unchanged' }
}

/** Whether its lines are those of its issuer, as invoice details have them: to these charges lead. */
function isIssuersOwn({ lines }: Pick<NewInvoice, 'lines'>): boolean {
  return lines.some(({ chargeCategory }) => chargeCategory)
}

/** Charges explain the issuer's own invoice, and change nothing of it. */
function fateOfCharges(given: NewInvoice, stored: StoredInvoice): Fate {
  if (given.currency === stored.currency) return { what: 'unchanged' }
  return refused(given, `is in ${stored.currency}, and its charges are in ${given.currency}`)
}

function ofCharges({ number }: NewInvoice): ImportProblem {
  return { subject: `invoice ${number}`, reason: 'was a summary of its charges, and is the issuer’s own now' }
}

/** Numbers that we make of the account, and of the period, are short: two accounts may come to one. */
function isOfAnother({ isNumbered, billingAccount }: NewInvoice, stored: StoredInvoice): boolean {
  if (isNumbered !== false || stored.isNumbered || !billingAccount || !stored.billingAccount) return false
  return billingAccount !== stored.billingAccount
}

function fateOfVoided(given: NewInvoice, stored: StoredInvoice): Fate {
  // What ended the draft, or took its place, holds.
  if (given.documentState === 'voided' || given.documentState === 'draft') return { what: 'unchanged' }
  // Superseded by another number: whether that is in the way, its period tells.
  if (stored.replacedBy !== null) return { what: 'added' }
  const reason = 'was voided, and the file has it as issued'
  const subject = `invoice ${given.number}`
  return { what: 'corrected', problems: [{ subject, reason, allowedBy: '--correct' }] }
}

function refused({ number }: NewInvoice, reason: string): Fate {
  return { what: 'refused', problems: [{ subject: `invoice ${number}`, reason }] }
}

const MOST_DIFFERENCES = 4

/**
 * What stands in the way of it: a few differences of each invoice, so that one of them doesn't fill the whole list.
 * @param correct whether the operator says that issued ones may be corrected
 */
export function problemsOf(fate: Fate, correct: boolean): ImportProblem[] {
  if (fate.what === 'refused') return fate.problems
  if (fate.what !== 'corrected' || correct || fate.isAllowed) return []
  const left = fate.problems.length - MOST_DIFFERENCES
  if (left < 2) return fate.problems
  const { subject } = fate.problems[0] ?? {}
  const rest: ImportProblem = { subject, reason: `${left} more differences`, allowedBy: '--correct' }
  return [...fate.problems.slice(0, MOST_DIFFERENCES), rest]
}
