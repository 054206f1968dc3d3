import type { NewInvoice } from '../schemas.ts'

type Numbered = Pick<NewInvoice, 'issuer' | 'number'>

/** The invoices that an import has had: by issuer, for there may be a million numbers of one. */
export type Seen = {
  /** @returns whether it is the first time */
  add(invoice: Numbered): boolean
  /** Adds the account and period of an invoice that we number. @returns whether they are new */
  addPeriod(invoice: NewInvoice): boolean
  has(invoice: Numbered): boolean
}

export function seenInvoices(): Seen {
  const numbers = new Map<string, Set<string>>()
  const periods = new Set<string>()
  return {
    addPeriod({ isNumbered, billingAccount, periodStart, ...invoice }) {
      if (isNumbered !== false || !billingAccount || !periodStart) return true
      const { issuer, periodEnd, currency, billingProfileId = 'default' } = invoice
      const key = JSON.stringify([issuer, billingAccount, periodStart, periodEnd, currency, billingProfileId])
      if (periods.has(key)) return false
      periods.add(key)
      return true
    },
    add({ issuer, number }) {
      const issuerNumbers = numbers.get(issuer) ?? new Set()
      numbers.set(issuer, issuerNumbers)
      if (issuerNumbers.has(number)) return false
      issuerNumbers.add(number)
      return true
    },
    has: ({ issuer, number }) => numbers.get(issuer)?.has(number) ?? false,
  }
}
