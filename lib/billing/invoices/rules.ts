export const INVOICE_STATUSES = ['OPEN', 'PAST DUE', 'PAID'] as const
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

/**
 * States of an invoice: of a period that still runs, as issued, or no longer valid. Only an issued invoice has a
 * status, and only an issued one can be owed.
 */
export const DOCUMENT_STATES = ['draft', 'issued', 'voided'] as const
export type DocumentState = (typeof DOCUMENT_STATES)[number]

/** Plural names of the states. */
export const DOCUMENT_STATE_NAMES: Record<DocumentState, string> = {
  draft: 'Drafts',
  issued: 'Issued',
  voided: 'Voided',
}

/** Forms of a document: an issued invoice, or a summary of charges without a vendor's document. */
export const DOCUMENT_FORMS = ['invoice', 'summary'] as const
export type DocumentForm = (typeof DOCUMENT_FORMS)[number]

export type DocumentName = 'Invoice' | 'Credit note' | 'Summary of charges'

/** Returns the name of a document. */
export function documentName(form: DocumentForm, totalAmount: number): DocumentName {
  if (form === 'summary') return 'Summary of charges'
  return totalAmount < 0 ? 'Credit note' : 'Invoice'
}

/** Returns whether a document is a credit note: it is not payable, and shows no due date. */
export function isCreditNote({
  form,
  totalAmount,
}: {
  form: DocumentForm
  totalAmount: string | number
}): boolean {
  return documentName(form, Number(totalAmount)) === 'Credit note'
}

/** Kinds of documents in filters: an invoice below 0 is a credit note. */
export const DOCUMENT_KINDS = ['invoice', 'credit-note', 'summary'] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

/** Plural names of the kinds. */
export const DOCUMENT_KIND_NAMES: Record<DocumentKind, string> = {
  invoice: 'Invoices',
  'credit-note': 'Credit notes',
  summary: 'Summaries of charges',
}

/** Keys of an invoice filter. */
export const FILTER_KEYS = [
  'platform',
  'status',
  'dueDate',
  'state',
  'document',
  'issuer',
  'billingProfile',
  'currency',
] as const
export type FilterKey = (typeof FILTER_KEYS)[number]

/** Sort keys of invoices. Amounts are compared as numbers, whatever their currency. */
export const INVOICE_ORDER_KEYS = ['invoiceDate', 'dueDate', 'totalAmount', 'balanceAmount'] as const
export type InvoiceSortKey = (typeof INVOICE_ORDER_KEYS)[number]

export const INVOICE_STATUS_NAMES: Record<InvoiceStatus, string> = {
  OPEN: 'Open',
  'PAST DUE': 'Past due',
  PAID: 'Paid',
}

/**
 * An invoice's status, derived so that it can't go stale: nothing left to pay is PAID, else overdue is
 * PAST DUE, else OPEN.
 * @param balance exact decimal text, as `payableAmountOf` returns it: less than half a minor unit is 0 there
 * @param dueDate and today as `YYYY-MM-DD`, days of UTC
 */
export function statusOf(balance: string, dueDate: string, today: string): InvoiceStatus {
  if (balance.startsWith('-') || /^0*\.?0*$/.test(balance)) return 'PAID'
  return dueDate < today ? 'PAST DUE' : 'OPEN'
}

/** Returns the payable amount of an invoice, or the rest of a credit, as exact decimal text. */
export function payableAmountOf({ payableAmount, balanceAmount }: Payable): string {
  return payableAmount ?? balanceAmount
}

/** @param payableAmount null where it is the balance itself */
type Payable = { balanceAmount: string; payableAmount?: string | null | undefined }

/** Returns the status of an issued invoice; drafts and voided invoices have none. Days as `YYYY-MM-DD`. */
export function statusOfIssued(
  invoice: Payable & { documentState: DocumentState; dueDate: string; today: string },
): InvoiceStatus | undefined {
  if (invoice.documentState !== 'issued') return undefined
  return statusOf(payableAmountOf(invoice), invoice.dueDate, invoice.today)
}

/** Invoices of one archive; of these, so many can be named. */
export const MAX_FILES = 500
export const MAX_SELECTED = 250
