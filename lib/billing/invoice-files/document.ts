import { type DocumentForm, type DocumentName, documentName } from '#lib/billing/invoices/rules.ts'
import type { LineItemRow } from '#lib/billing/invoices/store.ts'
import type { Party } from '#lib/billing/parties/rules.ts'
import type { LinePostingRow, PostingRow } from '#lib/billing/posting/columns.ts'

/**
 * Content of an invoice's document: the facts at its issue, without later events such as payments. Amounts are exact
 * decimal text, dates `YYYY-MM-DD`.
 */
export type InvoiceDocument = {
  number: string
  documentState: string
  form: DocumentForm
  platform: string
  invoiceDate: string
  dueDate: string
  currency: string
  totalAmount: string
  billingAccount: string | null
  /** The period that is billed; the end is exclusive. */
  periodStart: string | null
  periodEnd: string | null
  /** The number of the invoice that this one corrects. */
  corrects: string | null
  seller: Party
  buyer: Party
  /** Payments and credits until now: only in a copy, never in the document itself. */
  paymentList?: PaymentList
} & Partial<Omit<PostingRow, 'carried' | 'sellerCountry' | 'buyerCountry'>>

/** Payments and credits of an invoice on a day; amounts are exact decimal text with the sign of their effect. */
export type PaymentList = {
  day: string
  rows: { day: string | undefined; name: string; details: string; amount: string }[]
  /** Payable amount, or the rest of a credit. */
  balance: string
}

/** Line of a document. */
export type PdfLine = Omit<LineItemRow, keyof LinePostingRow> & Partial<LinePostingRow>

/** More lines are added up, and their sum is printed; they themselves are in the API's answers and in the CSV. */
export const MAX_PRINTED_LINES = 5000

type Kind = DocumentName | 'Draft' | 'Voided'

/** Returns the document's title. */
export function kindOf({ documentState, form, totalAmount }: InvoiceDocument): Kind {
  if (documentState === 'draft') return 'Draft'
  if (documentState === 'voided') return 'Voided'
  return documentName(form, Number(totalAmount))
}

/** Returns whether the seller issued the document, so that it carries the seller's name. */
export function isOfSeller({ documentState, form }: InvoiceDocument): boolean {
  return documentState === 'issued' && form === 'invoice'
}

/** Returns the warning at the top of a document that no seller issued. */
export function caveatOf(document: InvoiceDocument): string | undefined {
  if (isOfSeller(document)) return undefined
  if (document.documentState === 'draft')
    return document.form === 'summary'
      ? 'Charges so far, not billed: they may still change, and nothing of it is owed.'
      : 'This is a draft and no invoice: it may still change, and nothing of it is owed.'
  if (document.documentState === 'voided') return 'This was voided: nothing of it is owed.'
  return `This is a summary of charges. It is not an invoice that ${document.seller.name} issued in this form.`
}
