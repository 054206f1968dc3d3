export const INVOICE_STATUSES = ['OPEN', 'PAST DUE', 'PAID'] as const
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

/** What a list of invoices can be ordered by. Amounts are compared as numbers, whatever their currency. */
export const INVOICE_ORDER_KEYS = ['invoiceDate', 'dueDate', 'totalAmount', 'balanceAmount'] as const
export type InvoiceOrderKey = (typeof INVOICE_ORDER_KEYS)[number]

export const INVOICE_STATUS_NAMES: Record<InvoiceStatus, string> = {
  OPEN: 'Open',
  'PAST DUE': 'Past due',
  PAID: 'Paid',
}

/**
 * An invoice's status, derived so that it can't go stale: nothing left to pay is PAID, else overdue is
 * PAST DUE, else OPEN (CONTRACT 3).
 * @param balance exact decimal text
 * @param dueDate and today as `YYYY-MM-DD`, days of UTC
 */
export function statusOf(balance: string, dueDate: string, today: string): InvoiceStatus {
  if (balance.startsWith('-') || /^0*\.?0*$/.test(balance)) return 'PAID'
  return dueDate < today ? 'PAST DUE' : 'OPEN'
}

/** A platform, or what sells an asset, as people read it: `office-suite` is "Office suite". */
export function platformName(slug: string): string {
  const words = slug.replace(/[-_]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1) || slug
}

/** Invoices of one archive; of these, so many can be named. */
export const MOST_FILES = 500
export const MOST_TICKED = 250
