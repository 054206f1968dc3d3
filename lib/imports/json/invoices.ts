import { z } from 'zod'
import { currencyFault } from '#lib/currencies.ts'
import { slugOf } from '#lib/imports/focus/platforms.ts'
import type { NewInvoice } from '#lib/imports/shapes.ts'
import { timeOf } from '../times.ts'
import { Issuer } from './issuer.ts'
import { amount, jsonValues, optionalText, text } from './values.ts'

const day = z.string('is no date').refine(isDay, 'is not a date such as 2026-11-30')
const platform = text(60).refine((value) => slugOf(value) === value, 'is no platform such as web-services')

const Line = z.strictObject({
  type: platform.optional(),
  description: text(500),
  price: amount,
  qty: amount,
  details: optionalText(500),
})

/** Our own shape of an invoice in a file; docs/imports.md describes it. */
const Invoice = z
  .strictObject({
    id: text(300).refine((id) => id !== '.' && id !== '..', 'can not be an id'),
    billingProfileId: text(300).optional(),
    platform,
    issuer: Issuer,
    invoiceDate: day,
    dueDate: day,
    currency: z.string().check(({ value, issues }) => {
      const message = currencyFault(value)
      if (message) issues.push({ code: 'custom', input: value, message })
    }),
    totalAmount: amount,
    balanceAmount: amount.optional(),
    lines: z.array(Line).min(1, 'has no lines').max(100_000, 'has more than 100,000 lines'),
  })
  .refine(({ invoiceDate, dueDate }) => dueDate >= invoiceDate, {
    path: ['dueDate'],
    message: 'is before the invoice date',
  })
  .transform(({ id, lines, issuer: { name, ...issuerDetails }, ...invoice }): NewInvoice => {
    const typed = lines.map(({ type = invoice.platform, ...line }) => ({ type, ...line }))
    const known = Object.keys(issuerDetails).length > 0 ? { issuerDetails } : {}
    return { ...invoice, number: id, issuer: name, ...known, lines: typed }
  })

/** Reads invoices from our own JSON, an array or NDJSON, one at a time. */
export function readInvoices(source: AsyncIterable<string>) {
  return jsonValues(
    source,
    (value) => Invoice.safeParse(value),
    ({ number }) => number,
  )
}

function isDay(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(value) && timeOf(value) !== undefined
}
