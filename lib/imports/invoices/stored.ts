import Big from 'big.js'
import { linePostingOf, postingOf, withTotals } from '../posting/complete.ts'
import type { NewLinePosting, StoredLinePosting, StoredPosting } from '../posting/schemas.ts'
import type { DocumentState, NewInvoice, NewLineItem } from '../schemas.ts'

export type StoredLine = Required<Omit<NewLineItem, 'priced' | keyof NewLinePosting>> &
  StoredLinePosting &
  Pick<NewLineItem, 'priced'> & { details: string | null }

/** Stored invoice: amounts are exact decimal text, dates `YYYY-MM-DD`; null is unknown. */
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
  /** Seller and buyer in `parties`; null until the invoice is written. */
  sellerId: string | null
  buyerId: string | null
  lines: StoredLine[]
}

/** Returns the key that identifies an invoice within a customer. */
export function keyOf({ issuer, number }: Pick<NewInvoice, 'issuer' | 'number'>): string {
  return `${issuer}\u0000${number}`
}

/**
 * Returns an imported invoice with all values to store.
 * @param stored the invoice that it replaces
 * @param isMoved whether the invoice and its lines stay, so that their known values stay
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
    // An invoice written with other content gets the parties of the day of the new content.
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

/** Returns the invoice without its lines: the part that an import changes most often. */
export function withoutLines({ lines: _, ...invoice }: StoredInvoice): Omit<StoredInvoice, 'lines'> {
  return invoice
}

/** Returns an issued invoice with the imported balance, and missing values filled in. */
export function movedTo(stored: StoredInvoice, incoming: NewInvoice): StoredInvoice {
  const { form, isNumbered, sellerId, buyerId } = stored
  return { ...completed(incoming, stored, stored, true), form, isNumbered, sellerId, buyerId }
}

/** Returns the voided invoice, with a zero balance. @param replacedBy the id of its replacement */
export function asVoided(stored: StoredInvoice, replacedBy = stored.replacedBy): StoredInvoice {
  return { ...stored, documentState: 'voided', balanceAmount: '0', replacedBy }
}

/** Returns the balance: the imported one, or the total less earlier payments. */
function balanceOf(incoming: NewInvoice, stored: StoredInvoice | undefined): string {
  if (incoming.balanceAmount !== undefined) return incoming.balanceAmount
  if (stored?.documentState !== 'issued') return incoming.totalAmount
  const paid = new Big(stored.totalAmount).minus(stored.balanceAmount)
  return new Big(incoming.totalAmount).minus(paid).toFixed()
}
