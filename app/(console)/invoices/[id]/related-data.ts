import 'server-only'
import type * as contract from '#lib/billing/invoices/contract.ts'
import { recipientOf } from '#lib/billing/parties/recipient.ts'
import { type Party, partyLines } from '#lib/billing/parties/rules.ts'
import { invoiceBefore } from '#lib/costs/comparisons/compared.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { neighboursOf } from './neighbours.ts'

/**
 * Returns the data around an invoice: its neighbors in the list, the previous invoice, and the recipient.
 * @param view of the list; a Problem where its address is invalid
 */
export async function relatedData(
  caller: Caller,
  invoice: contract.InvoiceWithLines,
  view: Input<typeof contract.listInvoices>['query'] | Problem,
) {
  const [adjacent, before, recipient] = await Promise.all([
    view instanceof Problem ? {} : neighboursOf(caller, invoice, view),
    invoiceBefore(caller, invoice.id),
    recipientOf(caller, invoice.id),
  ])
  return { adjacent, before, recipient }
}

/** Returns the recipient's address, line by line. */
export function addressLines(recipient: Party | undefined): string[] {
  return recipient ? [`Billed to ${recipient.name}`, ...partyLines(recipient)] : []
}
