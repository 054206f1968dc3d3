import { resolve } from 'node:path'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { findCustomer } from '#lib/platform/caller/store.ts'
import type { CustomerInvoice } from '../focus/focus.ts'
import { problemList } from '../import-error.ts'
import { type Accounts, readAccounts } from '../resale/accounts.ts'
import { type Prices, readPrices } from '../resale/prices.ts'
import { fileSource, textOf } from '../sources/read-text.ts'
import type { Entry } from './parts.ts'

/** The operator's own files by their paths. */
type Paths = { map?: string | undefined; prices?: string | undefined }
type ReadOptions = { folder?: string | undefined; signal?: AbortSignal | undefined }

/** Contents of the files, and the customers that the map names, by id. */
export type Resale = {
  accounts?: Accounts | undefined
  prices?: Prices | undefined
  customers: ReadonlyMap<string, CustomerId>
}

/**
 * Reads a reseller's map of accounts and price rules.
 * @throws ImportError that lists their errors, and their unknown customers
 */
export async function readResale(
  { map, prices: list }: Paths,
  { folder = '.', signal }: ReadOptions,
): Promise<Resale> {
  const textAt = (path: string) => textOf(fileSource(resolve(folder, path), signal, path))
  const accounts = map === undefined ? undefined : await readAccounts(textAt(map), map, signal)
  const prices = list === undefined ? undefined : await readPrices(textAt(list), list, signal)
  const problems = problemList()
  const customers = new Map<string, CustomerId>()
  const find = async (id: string, file: string | undefined, line: number) => {
    if (customers.has(id)) return
    const customer = await findCustomer(id)
    // By id only: two names of one customer would count as two customers in sums.
    if (customer?.customerId === id) customers.set(id, customer.customerId)
    else {
      const advice = customer ? `; its id is ${customer.customerId}` : ''
      problems.add({
        file,
        line,
        column: 'customer',
        reason: `there is no customer with the id ${id}${advice}`,
      })
    }
  }
  for (const { owner, line } of accounts?.owners() ?? []) await find(owner.customer, map, line)
  for (const { customer, line } of prices?.customers() ?? []) await find(customer, list, line)
  problems.throwIfAny()
  return { accounts, prices, customers }
}

/** Invoices with the customers that their owners name. */
export function* entriesOf(
  invoices: Iterable<CustomerInvoice>,
  customers: ReadonlyMap<string, CustomerId>,
): Generator<Entry> {
  for (const { owner, ...entry } of invoices) {
    const customer = owner && customers.get(owner.customer)
    if (owner && !customer) throw new Error(`The map names the customer ${owner.customer} too late.`)
    yield { ...entry, owner: customer }
  }
}
