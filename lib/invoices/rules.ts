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

/**
 * An IBAN as banks write it to each other, without spaces; undefined for what is none: its check digits tell a
 * slip of the pen (ISO 13616).
 */
export function ibanOf(text: string): string | undefined {
  const iban = text.replace(/\s+/g, '').toUpperCase()
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return undefined
  let rest = 0
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1 ? iban : undefined
}

/** `DE02120300000000202051` as people read it: `DE02 1203 0000 0000 2020 51`. */
export function ibanText(iban: string): string {
  return iban.replace(/(.{4})(?=.)/g, '$1 ')
}

/** A BIC of eight or eleven characters, in capitals; undefined for what is none (ISO 9362). */
export function bicOf(text: string): string | undefined {
  const bic = text.replace(/\s+/g, '').toUpperCase()
  return /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(bic) ? bic : undefined
}

/** Invoices of one archive; of these, so many can be named. */
export const MOST_FILES = 500
export const MOST_TICKED = 250
