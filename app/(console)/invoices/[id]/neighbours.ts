import 'server-only'
import type * as contract from '#lib/billing/invoices/contract.ts'
import * as operations from '#lib/billing/invoices/operations.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { requestMeta } from '../../request-meta.ts'

/** Returns the previous and the next invoice in the list that a view selects; absent at the list's ends. */
export async function neighboursOf(
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
