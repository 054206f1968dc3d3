import { listInvoices, readInvoice, summarizeInvoices } from '#lib/billing/invoices/operations.ts'
import { validateKey } from '#lib/identity/keys/operations.ts'
import { listAssets } from '#lib/licenses/assets/operations.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { answer } from '#lib/platform/api/endpoint.ts'
import type { AnyOperation } from '#lib/platform/api/operation.ts'
import { randomFrom } from '../../test/fuzz/writers.ts'
import type { RequestTemplate } from './load.ts'
import { type RecordedQueries, recordQueries } from './recorded-queries.ts'
import type { Loaded } from './seed.ts'

/** Throughput in multiples of the peer's (`peer.ts`), at least, by the end of a case's name. */
export const MIN_TO_PEER = { hot: 2, 'not modified': 3, mixed: 1.5, cold: 0.75 }

/** A call that is measured on several servers that do the same. */
export type Case = {
  name: string
  /** Request templates, which connections use in turn. */
  templates: RequestTemplate[]
  /** Whether the peer implements the call, too. */
  hasPeer: boolean
  /** Database queries of each request template; absent if there is nothing to compare with. */
  queries: RecordedQueries[] | undefined
  /** Seconds for which each server runs before the rounds, so that they show a cache of answers at its usual hit rate. */
  warmUpSeconds?: number
}

/**
 * Hot cases ask one question, cold ones another one each time: an unknown parameter, which is ignored, or the id of
 * another invoice.
 * @param hands number of connections: each changes an asset of a different customer
 */
export async function casesOf(large: Loaded, small: readonly Loaded[], hands: number): Promise<Case[]> {
  const { key } = large
  const read = async (
    name: string,
    operation: AnyOperation,
    path: string,
    more: Partial<RequestTemplate> = {},
  ): Promise<Case> => {
    const template = { path, key, ...more }
    const queries = [await recorded(operation, { path, key })]
    return { name, templates: [template], hasPeer: !name.startsWith('summary'), queries }
  }
  let fresh = 0
  const cold = (name: string, operation: AnyOperation, path: string) =>
    read(name, operation, path, {
      next: () => ({ path: `${path}${path.includes('?') ? '&' : '?'}fresh=${++fresh}`, key }),
    })
  let quantity = 1
  const changes = small.slice(0, hands).map((customer) => ({
    path: '/billing/v1/assets/workspace-suite-0',
    key: customer.key,
    quantity: () => 1 + (quantity++ % 900_000),
  }))
  const changed: RecordedQueries[] = []
  for (const template of changes) changed.push(await recorded(setQuantity, template))
  const list = '/billing/v1/invoices'
  const invoiceOf = (n: number) => `${list}/IN-${String(n).padStart(8, '0')}`
  const invoice = invoiceOf(large.invoices >> 1)
  let n = 0
  const another = () => ({ path: invoiceOf(1 + ((n++ * 7919) % large.invoices)), key })
  return [
    await cold('list, cold', listInvoices, list),
    await cold('list of a platform, cold', listInvoices, `${list}?filter=platform:web-services`),
    await read('read of one invoice, cold', readInvoice, invoice, { next: another }),
    await cold('list of assets, cold', listAssets, '/billing/v1/assets'),
    await read('list, hot', listInvoices, list),
    await read('read of one invoice, hot', readInvoice, invoice),
    await read('list of assets, hot', listAssets, '/billing/v1/assets'),
    await read('list, not modified', listInvoices, list, { isConditional: true }),
    { name: 'mixed', templates: mixed(small, hands), hasPeer: true, queries: undefined, warmUpSeconds: 30 },
    await read('validate', validateKey, '/auth/v1/validate'),
    { name: '/healthz', templates: [{ path: '/healthz' }], hasPeer: true, queries: undefined },
    await cold('summary', summarizeInvoices, '/billing/v1/invoice-summary'),
    { name: 'PATCH of a quantity', templates: changes, hasPeer: false, queries: changed },
  ]
}

const PLATFORMS = ['cloud-platform', 'web-services', 'workspace-suite']
/** Twenty questions about a customer. */
const QUESTIONS = [
  '/billing/v1/invoices',
  '/billing/v1/assets',
  ...[1, 2, 3, 4, 5].map((n) => `/billing/v1/invoices/IN-${n}`),
  ...PLATFORMS.map((platform) => `/billing/v1/invoices?filter=platform:${platform}`),
  ...[1, 2, 3, 4, 5].map((size) => `/billing/v1/invoices?maxResults=${size}`),
  ...PLATFORMS.map((platform) => `/billing/v1/invoices?maxResults=2&filter=platform:${platform}`),
  ...[1, 2].map((size) => `/billing/v1/assets?maxResults=${size}`),
]
/** One request of so many is a change. */
const READS_PER_CHANGE = 100

/** Returns for each connection requests of many customers; customers and questions follow Zipf's law. */
function mixed(small: readonly Loaded[], hands: number): RequestTemplate[] {
  const [customerAt, questionAt] = [zipf(small.length), zipf(QUESTIONS.length)]
  return Array.from({ length: hands }, (_, hand) => {
    const random = randomFrom(hand + 1)
    let count = hand
    const next = (): RequestTemplate => {
      const rank = customerAt(random())
      if (++count % READS_PER_CHANGE > 0)
        return { path: QUESTIONS[questionAt(random())] ?? '', key: small[rank]?.key ?? '' }
      // Two connections never change the same asset concurrently.
      const customer = Math.min(small.length - hands, rank - (rank % hands)) + hand
      return {
        path: '/billing/v1/assets/workspace-suite-0',
        key: small[customer]?.key ?? '',
        quantity: () => 1 + (count % 900_000),
      }
    }
    return { path: '', next }
  })
}

/** Returns a function from [0, 1) to ranks below `most`: the n-th one is 1/n times as frequent as the first. */
function zipf(most: number): (share: number) => number {
  const sums: number[] = []
  for (let rank = 0; rank < most; rank++) sums.push((sums.at(-1) ?? 0) + 1 / (rank + 1))
  const all = sums.at(-1) ?? 0
  return (share) => sums.findIndex((sum) => sum > share * all)
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
  const [pathname = '', search = ''] = path.split('?')
  const { status, body } = await answer([operation], {
    method,
    path: pathname,
    search,
    headers,
    read: async () => bytes,
  })
  if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${body}`)
}
