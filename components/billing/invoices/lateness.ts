import type { Invoice } from '#lib/billing/invoices/contract.ts'
import { daysBetween, daysText } from '#lib/platform/values/days.ts'

/** How long an invoice is past due, as `21 days`; undefined when it is not. `today` in epoch milliseconds. */
export function latenessOf({ status, dueDate }: Invoice, today: number): string | undefined {
  if (status !== 'PAST DUE') return undefined
  // The database's day decides; this machine's may come a moment later.
  return daysText(Math.max(1, daysBetween(dueDate, today)))
}
