import 'server-only'
import type { Caller } from '#lib/access/rules.ts'
import type { Input } from '#lib/api/contract.ts'
import { Problem } from '#lib/api/problem.ts'
import { recipientOf } from '#lib/billing-profiles/recipient.ts'
import { invoiceBefore } from '#lib/comparisons/before.ts'
import type * as contract from '#lib/invoices/contract.ts'
import { type Party, partyLines } from '#lib/parties/rules.ts'
import { neighboursOf } from './neighbours.ts'

/**
 * What stands beside the invoice itself: its neighbours in the list, the one before, and whom it addresses.
 * @param view of the list; a Problem where its address is odd
 */
export async function besides(
  caller: Caller,
  invoice: contract.InvoiceWithLines,
  view: Input<typeof contract.listInvoices>['query'] | Problem,
) {
  const [beside, before, recipient] = await Promise.all([
    view instanceof Problem ? {} : neighboursOf(caller, invoice, view),
    invoiceBefore(caller, invoice.id),
    recipientOf(caller, invoice.id),
  ])
  return { beside, before, recipient }
}

/** Whom the invoice addresses, line by line. */
export function addressLines(recipient: Party | undefined): string[] {
  return recipient ? [`Billed to ${recipient.name}`, ...partyLines(recipient)] : []
}
