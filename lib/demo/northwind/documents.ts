import Big from 'big.js'
import type { NewInvoice } from '#lib/imports/schemas.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { minorUnit } from '#lib/platform/values/money.ts'
import { chargeLine } from '../bill.ts'
import { addMonths, monthStart, periodText } from '../calendar.ts'
import { posted } from '../posting.ts'
import { randomFrom } from '../random.ts'
import { usageLines, WEB_SERVICES } from './usage-lines.ts'

/** Age in months of the invoice that was corrected later. */
const CORRECTED_MONTHS_AGO = 3

/** Returns the running month of a new account: a draft, not issued by the vendor yet. */
export function runningMonth(today: string): NewInvoice {
  const [start, end] = [monthStart(today), addMonths(monthStart(today), 1)]
  const currency = 'USD'
  const lines = usageLines(randomFrom('northwind running month'), {
    type: 'web-services',
    currency,
    services: WEB_SERVICES.slice(0, 7),
    size: (0.24 * Number(today.slice(8))) / 31,
    details: periodText(start, today),
  })
  return {
    number: `${today.slice(0, 7)}-5b81c07e`,
    isNumbered: false,
    documentState: 'draft',
    form: 'summary',
    billingProfileId: 'default',
    platform: 'web-services',
    issuer: 'Fernhill Cloud, Inc.',
    billingAccount: '8825',
    periodStart: start,
    periodEnd: end,
    invoiceDate: addDays(end, -1),
    dueDate: addDays(end, 29),
    currency,
    totalAmount: sumOf(lines).toFixed(minorUnit(currency)),
    balanceAmount: '0',
    lines,
  }
}

/** Links each credit note to its invoice: the newest one before it on its platform. */
export function withCredited(invoices: readonly NewInvoice[]): NewInvoice[] {
  return invoices.map((credit) => {
    if (!credit.totalAmount.startsWith('-')) return credit
    const corrected = invoices.findLast(
      ({ platform, issuer, invoiceDate, totalAmount }) =>
        platform === credit.platform &&
        issuer === credit.issuer &&
        invoiceDate < credit.invoiceDate &&
        !totalAmount.startsWith('-'),
    )
    return corrected ? { ...credit, corrects: corrected.number } : credit
  })
}

/** Adds an invoice whose issuer rounds tax in a different way than it adds up tax: the two differ by two cents. */
export function withOddTax(invoices: readonly NewInvoice[]): NewInvoice[] {
  const odd = invoices.findLast(
    ({ currency, platform, taxAmount, balanceAmount }) =>
      currency === 'EUR' &&
      platform === 'office-suite' &&
      Number(taxAmount) > 0 &&
      Number(balanceAmount) === 0,
  )
  return invoices.map((invoice) => {
    if (invoice !== odd) return invoice
    const rows = invoice.taxBreakdown?.map((row) => ({
      ...row,
      taxAmount: new Big(row.taxAmount).plus('0.02').toFixed(2),
    }))
    return { ...invoice, taxBreakdown: rows }
  })
}

/** Returns a paid invoice as its issuer sent it again: with a charge removed, which leaves an open credit. */
export function resent(invoices: readonly NewInvoice[], today: string): NewInvoice {
  const before = addMonths(monthStart(today), 1 - CORRECTED_MONTHS_AGO)
  const paid = invoices.findLast(
    ({ platform, balanceAmount, invoiceDate }) =>
      platform === 'cloud-platform' && Number(balanceAmount) === 0 && invoiceDate < before,
  )
  if (!paid) throw new Error('No invoice of the demo is paid.')
  const back = chargeLine(paid.platform, 'Data transfer billed twice, taken back', '-268.91', 'Corrected')
  const total = new Big(paid.totalAmount).plus(back.price)
  return posted({
    ...paid,
    lines: [...paid.lines, back],
    totalAmount: total.toFixed(2),
    balanceAmount: new Big(back.price).toFixed(2),
  })
}

function sumOf(lines: NewInvoice['lines']): Big {
  return lines.reduce((sum, { price, qty }) => sum.plus(new Big(price).times(qty)), new Big(0))
}
