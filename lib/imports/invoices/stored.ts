import Big from 'big.js'
import { linePostingOf, postingOf, withTotals } from '../posting/complete.ts'
import type { NewLinePosting, StoredLinePosting, StoredPosting } from '../posting/schemas.ts'
import type { DocumentState, NewInvoice, NewLineItem } from '../schemas.ts'

export type StoredLine = Required<Omit<NewLineItem, 'priced' | keyof NewLinePosting>> &
  StoredLinePosting &
  Pick<NewLineItem, 'priced'> & { details: string | null }

/** An invoice as it is stored: amounts are exact decimal text, dates `YYYY-MM-DD`; null is not known. */
export type StoredInvoice = StoredPosting & {
  id: string
  number: string
  isNumbered: boolean
  documentState: DocumentState
  form: 'invoice' | 'summary'
  billingProfileId: string
  platform: string
  issuer: string
  invoiceDate: string
  dueDate: string
  currency: string
  totalAmount: string
  balanceAmount: string
  billingAccount: string | null
  periodStart: string | null
  periodEnd: string | null
  corrects: string | null
  replacedBy: string | null
  isHistory: boolean
  importId: string | null
  /** Who sells and who buys, as `parties` keeps them; null until the invoice is written. */
  sellerId: string | null
  buyerId: string | null
  lines: StoredLine[]
}

/** What tells one invoice of a customer from another. */
export function keyOf({ issuer, number }: Pick<NewInvoice, 'issuer' | 'number'>): string {
  return `${issuer}\u0000${number}`
}

/**
 * A given invoice as it is to be stored.
 * @param stored what is there in its place
 * @param isMoved whether the invoice and its lines stay, so that what was known of both does
 */
export function completed(
  incoming: NewInvoice,
  { id, importId, isHistory }: Pick<StoredInvoice, 'id' | 'importId' | 'isHistory'>,
  stored?: StoredInvoice,
  isMoved = false,
): StoredInvoice {
  const documentState = incoming.documentState ?? 'issued'
  return withTotals({
    id,
    number: incoming.number,
    isNumbered: incoming.isNumbered ?? true,
    documentState,
    form: incoming.form ?? stored?.form ?? 'invoice',
    billingProfileId: incoming.billingProfileId ?? stored?.billingProfileId ?? 'default',
    platform: incoming.platform,
    issuer: incoming.issuer,
    invoiceDate: incoming.invoiceDate,
    dueDate: incoming.dueDate,
    currency: incoming.currency,
    totalAmount: incoming.totalAmount,
    balanceAmount: documentState === 'issued' ? balanceOf(incoming, stored) : '0',
    billingAccount: incoming.billingAccount ?? stored?.billingAccount ?? null,
    periodStart: incoming.periodStart ?? stored?.periodStart ?? null,
    periodEnd: incoming.periodEnd ?? stored?.periodEnd ?? null,
    corrects: incoming.corrects ?? stored?.corrects ?? null,
    replacedBy: null,
    isHistory: isHistory || stored?.isHistory === true,
    importId,
    // What is written with other content has the parties of the day on which that came.
    sellerId: null,
    buyerId: null,
    ...postingOf(incoming, stored, isMoved),
    lines: incoming.lines.map((line, at) => ({
      ...line,
      details: line.details ?? null,
      ...linePostingOf(line, isMoved ? stored?.lines[at] : undefined),
    })),
  })
}

/** Its head alone: what an import changes of most. */
export function withoutLines({ lines: _, ...invoice }: StoredInvoice): Omit<StoredInvoice, 'lines'> {
  return invoice
}

/** An issued invoice with the balance that is given, and what was not known of it filled in. */
export function movedTo(stored: StoredInvoice, incoming: NewInvoice): StoredInvoice {
  const { form, isNumbered, sellerId, buyerId } = stored
  return { ...completed(incoming, stored, stored, true), form, isNumbered, sellerId, buyerId }
}

/** It owes nothing then. @param replacedBy the id of what came into its place */
export function asVoided(stored: StoredInvoice, replacedBy = stored.replacedBy): StoredInvoice {
  return { ...stored, documentState: 'voided', balanceAmount: '0', replacedBy }
}

/** What is left to pay: as given, or what the total leaves after all that was paid before. */
function balanceOf(incoming: NewInvoice, stored: StoredInvoice | undefined): string {
  if (incoming.balanceAmount !== undefined) return incoming.balanceAmount
  if (stored?.documentState !== 'issued') return incoming.totalAmount
  const paid = new Big(stored.totalAmount).minus(stored.balanceAmount)
  return new Big(incoming.totalAmount).minus(paid).toFixed()
}
