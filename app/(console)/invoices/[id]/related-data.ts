import 'server-only'
import type * as contract from '#lib/billing/invoices/contract.ts'
import * as operations from '#lib/billing/invoices/operations.ts'
import { recipientOf } from '#lib/billing/parties/recipient.ts'
import { type Party, partyLines } from '#lib/billing/parties/rules.ts'
import { invoiceBefore } from '#lib/costs/comparisons/compared.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { requestMeta } from '../../request-meta.ts'

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

/** Returns the previous and the next invoice in the list that a view selects; absent at the list's ends. */
async function neighboursOf(
  caller: Caller,
  invoice: contract.Invoice,
  view: Input<typeof contract.listInvoices>['query'],
): Promise<{ newer?: string | undefined; older?: string | undefined }> {
  const tokens = await operations.adjacentPageTokens(caller, invoice, view)
  const meta = await requestMeta()
  const at = async (pageToken: string) => {
    const query = { ...view, maxResults: 1, pageToken }
    const { body } = await operations.listInvoices(caller, { params: {}, query, body: undefined }, meta)
    return body.invoices[0]?.id
  }
  try {
    const [newer, older] = await Promise.all([at(tokens.newer), at(tokens.older)])
    return { newer, older }
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return {}
    throw error
  }
}
