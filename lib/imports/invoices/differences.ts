import Big from 'big.js'
import { difference, type ImportProblem } from '../import-error.ts'
import {
  addsLinePosting,
  addsPosting,
  linePostingDifferences,
  postingDifferences,
  textOf,
} from '../posting/complete.ts'
import type { NewInvoice, NewLineItem } from '../schemas.ts'
import type { StoredInvoice, StoredLine } from './stored.ts'

const TEXTS = ['billingProfileId', 'platform', 'issuer', 'invoiceDate', 'dueDate', 'currency'] as const
/** Texts that earlier versions did not import, and that may be filled in. */
const FILLABLE_TEXTS = ['billingAccount', 'periodStart', 'periodEnd', 'corrects'] as const
const LINE_TEXTS = ['type', 'description'] as const

/**
 * Returns the differences between an invoice and the stored one, by field, without the balance. Numbers are compared as
 * numbers (`10` equals `10.00`), and missing values are not compared.
 */
export function differencesOf(stored: StoredInvoice, incoming: NewInvoice): ImportProblem[] {
  const subject = `invoice ${incoming.number}`
  const problems: ImportProblem[] = []
  const differs = (field: string, was: string | null, is: string | null) =>
    problems.push(difference(subject, { column: field, stored: was, incoming: is, allowedBy: '--correct' }))

  for (const field of TEXTS)
    if (incoming[field] !== undefined && incoming[field] !== stored[field])
      differs(field, stored[field], incoming[field])
  for (const field of FILLABLE_TEXTS)
    if (incoming[field] !== undefined && stored[field] !== null && incoming[field] !== stored[field])
      differs(field, stored[field], incoming[field])
  if (!sameNumber(incoming.totalAmount, stored.totalAmount))
    differs('totalAmount', stored.totalAmount, incoming.totalAmount)
  comparePosting(postingDifferences(incoming, stored), stored, incoming, (field) => field)
  if (stored.lines.length !== incoming.lines.length)
    differs('lines', String(stored.lines.length), String(incoming.lines.length))
  else for (const [index, line] of incoming.lines.entries()) compareLine(line, stored.lines[index], index)
  return problems

  function comparePosting(fields: string[], was: object, is: object, at: (field: string) => string) {
    const [stored, incoming] = [was, is] as Record<string, unknown>[]
    for (const field of fields) differs(at(field), textOf(stored?.[field]), textOf(incoming?.[field]))
  }

  function compareLine(line: NewLineItem, was: StoredLine | undefined, index: number) {
    if (!was) return
    const at = (field: string) => `lines[${index}].${field}`
    for (const field of LINE_TEXTS)
      if (line[field] !== was[field]) differs(at(field), was[field], line[field])
    for (const field of ['price', 'qty'] as const)
      if (!sameNumber(line[field], was[field])) differs(at(field), was[field], line[field])
    const details = line.details ?? null
    if (details !== was.details) differs(at('details'), was.details, details)
    comparePosting(linePostingDifferences(line, was), was, line, at)
  }
}

/**
 * Returns whether the file has another balance, or fills in missing values: the changes that an issued invoice allows.
 */
export function movesFrom(stored: StoredInvoice, incoming: NewInvoice): boolean {
  if (incoming.balanceAmount !== undefined && !sameNumber(incoming.balanceAmount, stored.balanceAmount))
    return true
  if (addsPosting(incoming, stored) || fillsLines(stored, incoming)) return true
  return FILLABLE_TEXTS.some((field) => incoming[field] !== undefined && stored[field] === null)
}

/** Returns whether the file fills in missing values of a line. */
export function fillsLines(stored: StoredInvoice, incoming: NewInvoice): boolean {
  return incoming.lines.some((line, at) => addsLinePosting(line, stored.lines[at]))
}

function sameNumber(one: string, other: string): boolean {
  return one === other || new Big(one).eq(other)
}
