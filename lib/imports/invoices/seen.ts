import type { NewInvoice } from '../schemas.ts'

type Numbered = Pick<NewInvoice, 'issuer' | 'number'>

/** The invoices that an import has had: by issuer, for there may be a million numbers of one. */
export type Seen = {
  /** @returns whether it is the first time */
  add(invoice: Numbered): boolean
  has(invoice: Numbered): boolean
}

export function seenInvoices(): Seen {
  const numbers = new Map<string, Set<string>>()
  return {
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
