import Big from 'big.js'
import type { ImportProblem } from '../import-error.ts'
import type { NewInvoice } from '../schemas.ts'
import { differencesOf, movesFrom } from './differences.ts'
import type { StoredInvoice } from './stored.ts'

/** Result for one invoice of a file; `unclear` where the invoice may be another issuer's, and was left out. */
export type Result = {
  /** The invoice as the file has it. */
  incoming: NewInvoice
  /** The invoice with the issuer and number under which it is stored. */
  invoice: NewInvoice
  what: ImportAction['what'] | 'unclear'
  /** Invoice that an unclear one resembles. */
  like?: { issuer: string; number: string }
}

/** Action for one invoice of a file. */
export type ImportAction =
  /** A row of its own. */
  | { what: 'added' }
  | { what: 'unchanged' }
  /** Charges that an invoice bills by now: nothing is stored of them, and a draft of them goes. */
  | { what: 'billed' }
  /** Its balance, or a field that was unknown, is updated. */
  | { what: 'moved' }
  /** A draft is written over, and may be issued by that. */
  | { what: 'redrafted' }
  | { what: 'voided' }
  /** Only with the operator's consent: the stored invoice is voided, and the incoming one replaces it. */
  | { what: 'corrected'; problems: ImportProblem[]; isAllowed?: boolean }
  | { what: 'refused'; problems: ImportProblem[] }

/**
 * Returns the action for an invoice. An invoice goes from draft to issued to voided and never back. The balance of an
 * issued invoice may change; any other change is a correction.
 * @param stored the invoice under its number: the one that is not voided, else a voided one
 */
export function actionFor(incoming: NewInvoice, stored: StoredInvoice | undefined): ImportAction {
  const { documentState = 'issued' } = incoming
  if (!stored) return { what: 'added' }
  if (incoming.form === 'summary' && isFromIssuer(stored)) return actionForCharges(incoming, stored)
  if (stored.documentState === 'voided') return actionForVoided(incoming, stored)
  if (isOfAnother(incoming, stored)) {
    const reason = `is that of account ${stored.billingAccount}, and account ${incoming.billingAccount} came to the same number`
    return rejection(incoming, `${reason}: import it as JSON with a number of its own`)
  }
  if (documentState === 'voided') return { what: 'voided' }
  if (stored.documentState === 'issued') return actionForIssued(incoming, stored)
  const isSame =
    documentState === 'draft' && differencesOf(stored, incoming).length === 0 && !movesFrom(stored, incoming)
  return { what: isSame ? 'unchanged' : 'redrafted' }
}

/** Returns the action for an issued invoice: a change of the balance, or a correction. */
function actionForIssued(incoming: NewInvoice, stored: StoredInvoice): ImportAction {
  const paid = new Big(stored.totalAmount).minus(stored.balanceAmount)
  const isOfCharges = stored.form === 'summary' && isFromIssuer(incoming)
  if (incoming.documentState === 'draft' && !(isOfCharges && paid.eq(0)))
    return rejection(incoming, 'is issued already, and the file has it as a draft of before')
  if (incoming.currency !== stored.currency && incoming.balanceAmount === undefined && !paid.eq(0)) {
    const paidText = `${paid.toFixed()} ${stored.currency} of it is settled already`
    return rejection(
      incoming,
      `${paidText}, and the file has it in ${incoming.currency}: give its balance, too`,
    )
  }
  const problems = differencesOf(stored, incoming)
  // Lines from the issuer replace lines that were made of charges.
  if (isOfCharges) return { what: 'corrected', problems: [...problems, ofCharges(incoming)], isAllowed: true }
  if (problems.length > 0) return { what: 'corrected', problems }
  return { what: movesFrom(stored, incoming) ? 'moved' : 'unchanged' }
}

/** Returns whether the lines are the issuer's, as in invoice details: charges are linked to such lines. */
function isFromIssuer({ lines }: Pick<NewInvoice, 'lines'>): boolean {
  return lines.some(({ chargeCategory }) => chargeCategory)
}

/** Charges explain the issuer's own invoice, and change nothing of it. */
function actionForCharges(incoming: NewInvoice, stored: StoredInvoice): ImportAction {
  if (incoming.currency === stored.currency) return { what: 'unchanged' }
  return rejection(incoming, `is in ${stored.currency}, and its charges are in ${incoming.currency}`)
}

function ofCharges({ number }: NewInvoice): ImportProblem {
  return { subject: `invoice ${number}`, reason: 'was a summary of its charges, and is the issuer’s own now' }
}

/**
 * Returns whether a stored invoice is another account's: numbers made of account and period are short and may collide.
 */
function isOfAnother({ isNumbered, billingAccount }: NewInvoice, stored: StoredInvoice): boolean {
  if (isNumbered !== false || stored.isNumbered || !billingAccount || !stored.billingAccount) return false
  return billingAccount !== stored.billingAccount
}

function actionForVoided(incoming: NewInvoice, stored: StoredInvoice): ImportAction {
  // The event that ended or replaced the draft prevails.
  if (incoming.documentState === 'voided' || incoming.documentState === 'draft') return { what: 'unchanged' }
  // Superseded by another number: its period decides whether the other number conflicts.
  if (stored.replacedBy !== null) return { what: 'added' }
  const reason = 'was voided, and the file has it as issued'
  const subject = `invoice ${incoming.number}`
  return { what: 'corrected', problems: [{ subject, reason, allowedBy: '--correct' }] }
}

function rejection({ number }: NewInvoice, reason: string): ImportAction {
  return { what: 'refused', problems: [{ subject: `invoice ${number}`, reason }] }
}

const MAX_DIFFERENCES = 4

/**
 * Returns the problems of an action: a few differences per invoice, so that one invoice doesn't fill the whole list.
 * @param correct whether the operator allows corrections of issued invoices
 */
export function problemsOf(action: ImportAction, correct: boolean): ImportProblem[] {
  if (action.what === 'refused') return action.problems
  if (action.what !== 'corrected' || correct || action.isAllowed) return []
  const left = action.problems.length - MAX_DIFFERENCES
  if (left < 2) return action.problems
  const { subject } = action.problems[0] ?? {}
  const rest: ImportProblem = { subject, reason: `${left} more differences`, allowedBy: '--correct' }
  return [...action.problems.slice(0, MAX_DIFFERENCES), rest]
}
