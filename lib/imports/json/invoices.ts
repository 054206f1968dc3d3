import { z } from 'zod'
import { slugOf } from '#lib/imports/focus/platforms.ts'
import type { NewInvoice } from '#lib/imports/schemas.ts'
import { currencyError } from '#lib/platform/values/currency-codes.ts'
import { day, invoicePosting, linePosting, periodError } from '../posting/json.ts'
import type { SourceText } from '../sources/source.ts'
import { Issuer } from './issuer.ts'
import { jsonValues } from './objects.ts'
import { amount, name, optionalText, text } from './values.ts'

const platform = text(60).refine((value) => slugOf(value) === value, 'is no platform such as web-services')

const Line = z
  .strictObject({
    type: platform.optional(),
    description: text(500),
    price: amount,
    qty: amount,
    details: optionalText(500),
    ...linePosting,
  })
  .check(({ value, issues }) => {
    const message = periodError(value)
    if (message) issues.push({ code: 'custom', input: value.periodEnd, path: ['periodEnd'], message })
  })

/** Our own shape of an invoice in a file; docs/operate/imports.md describes it. */
const Invoice = z
  .strictObject({
    id: name().refine((id) => id !== '.' && id !== '..', 'cannot be an id'),
    documentState: z.enum(['draft', 'issued', 'voided'], 'is not draft, issued or voided').optional(),
    form: z.enum(['invoice', 'summary'], 'is not invoice or summary').optional(),
    billingProfileId: text(300).optional(),
    platform,
    issuer: Issuer,
    invoiceDate: day,
    dueDate: day,
    currency: z.string().check(({ value, issues }) => {
      const message = currencyError(value)
      if (message) issues.push({ code: 'custom', input: value, message })
    }),
    totalAmount: amount,
    balanceAmount: amount.optional(),
    billingAccount: name().optional(),
    periodStart: day.optional(),
    periodEnd: day.optional(),
    corrects: name().optional(),
    ...invoicePosting,
    lines: z.array(Line).min(1, 'has no lines').max(100_000, 'has more than 100,000 lines'),
  })
  .refine(({ invoiceDate, dueDate }) => dueDate >= invoiceDate, {
    path: ['dueDate'],
    message: 'is before the invoice date',
  })
  .refine(({ periodStart, periodEnd }) => (periodStart === undefined) === (periodEnd === undefined), {
    path: ['periodEnd'],
    message: 'and periodStart come together',
  })
  .refine(({ periodStart = '', periodEnd = '9' }) => periodStart < periodEnd, {
    path: ['periodEnd'],
    message: 'is not after periodStart: it is the first day after the period',
  })
  .refine(
    ({ documentState = 'issued', balanceAmount = '0' }) => documentState === 'issued' || +balanceAmount === 0,
    {
      path: ['balanceAmount'],
      message: 'is not 0, but nothing is owed for what is no issued invoice',
    },
  )
  .refine(({ id, corrects }) => corrects !== id, { path: ['corrects'], message: 'is the invoice itself' })
  .transform(({ id: number, lines, issuer: { name: issuer, ...issuerDetails }, ...invoice }): NewInvoice => {
    const typed = lines.map(({ type = invoice.platform, ...line }) => ({ type, ...line }))
    const details = Object.keys(issuerDetails).length > 0 ? { issuerDetails } : {}
    return { number, ...invoice, issuer, ...details, lines: typed }
  })

/**
 * Reads invoices from our own JSON, arrays or NDJSON, one at a time. A number is unique per issuer across all files.
 * @param onObject called for each object that was read
 */
export function readInvoices(
  sources: Iterable<SourceText> | AsyncIterable<SourceText>,
  onObject?: (from: SourceText) => void,
): AsyncGenerator<NewInvoice> {
  return jsonValues<NewInvoice>(sources, {
    read: (value) => Invoice.safeParse(value),
    keyOf: ({ issuer, number }) => ({ group: issuer, id: number }),
    onObject,
  })
}
