import 'server-only'
import type { Caller } from '#lib/access/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import * as contract from '#lib/invoices/contract.ts'
import * as operations from '#lib/invoices/operations.ts'
import { readQuery } from '../../address.ts'
import { originOf } from '../../origin.ts'

/** The invoices before and after one in the list that a query string selects; absent at the list's ends. */
export async function neighboursOf(
  caller: Caller,
  invoice: { id: string; invoiceDate: number },
  search: string,
): Promise<{ newer?: string | undefined; older?: string | undefined }> {
  const view = await readQuery(contract.listInvoices, search)
  // An odd address of the list is the list's to explain.
  if (view instanceof Problem) return {}
  const tokens = operations.tokensBeside(invoice, view)
  const origin = await originOf()
  const at = async (pageToken: string) => {
    const query = { ...view, maxResults: 1, pageToken }
    const { body } = await operations.listInvoices(caller, { params: {}, query, body: undefined }, origin)
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
