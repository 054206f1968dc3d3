import { listInvoices, readInvoice, summarizeInvoices } from '#lib/billing/invoices/operations.ts'
import { validateKey } from '#lib/identity/access/operations.ts'
import { listAssets } from '#lib/licenses/assets/operations.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { answer } from '#lib/platform/api/endpoint.ts'
import type { AnyOperation } from '#lib/platform/api/operation.ts'
import type { RequestTemplate } from './load.ts'
import { type RecordedQueries, recordQueries } from './recorded-queries.ts'
import type { Loaded } from './seed.ts'

/** A call that is measured on several servers that do the same. */
export type Case = {
  name: string
  /** Request templates, which connections use in turn. */
  templates: RequestTemplate[]
  /** Whether the peer implements the call, too. */
  hasPeer: boolean
  /** Database queries of each request template; absent if there is nothing to compare with. */
  queries: RecordedQueries[] | undefined
}

/** @param hands number of connections: each changes an asset of a different customer */
export async function casesOf(large: Loaded, small: readonly Loaded[], hands: number): Promise<Case[]> {
  const { key } = large
  const read = async (
    name: string,
    operation: AnyOperation,
    path: string,
    hasPeer: boolean,
  ): Promise<Case> => {
    const template = { path, key }
    return { name, templates: [template], hasPeer, queries: [await recorded(operation, template)] }
  }
  let quantity = 1
  const changes = small.slice(0, hands).map((customer) => ({
    path: '/billing/v1/assets/workspace-suite-0',
    key: customer.key,
    quantity: () => 1 + (quantity++ % 900_000),
  }))
  const changed: RecordedQueries[] = []
  for (const template of changes) changed.push(await recorded(setQuantity, template))
  const invoice = `/billing/v1/invoices/IN-${String(large.invoices >> 1).padStart(8, '0')}`
  return [
    await read('list', listInvoices, '/billing/v1/invoices', true),
    await read('read of one invoice', readInvoice, invoice, true),
    await read('list of assets', listAssets, '/billing/v1/assets', true),
    await read('validate', validateKey, '/auth/v1/validate', true),
    { name: '/healthz', templates: [{ path: '/healthz' }], hasPeer: true, queries: undefined },
    await read('summary', summarizeInvoices, '/billing/v1/invoice-summary', false),
    { name: 'PATCH of a quantity', templates: changes, hasPeer: false, queries: changed },
  ]
}

async function recorded(operation: AnyOperation, template: RequestTemplate): Promise<RecordedQueries> {
  // The first run opens connections, and records the use of the key.
  await call(operation, template)
  return recordQueries(() => call(operation, template))
}

async function call(operation: AnyOperation, { path, key, quantity }: RequestTemplate): Promise<void> {
  const bytes = Buffer.from(quantity ? JSON.stringify({ quantity: quantity() }) : '')
  const carried = { 'content-type': 'application/json', 'content-length': String(bytes.length) }
  const headers = new Headers({ authorization: `Bearer ${key}`, ...(quantity ? carried : {}) })
  const method = quantity ? 'PATCH' : 'GET'
  const { status, body } = await answer([operation], {
    method,
    path,
    search: '',
    headers,
    read: async () => bytes,
  })
  if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${body}`)
}
