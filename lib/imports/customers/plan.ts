import 'server-only'
import { type CustomerState, listCustomerStates } from '#lib/identity/customers/store.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { type ImportProblem, ImportRefused, MOST_PROBLEMS } from '../refused.ts'
import { type Change, plan } from './differences.ts'
import type { GivenCustomer } from './shapes.ts'
import { readStored } from './stored.ts'

/** What a file would do to one customer. */
export type PlannedCustomer = { given: GivenCustomer; changes: Change[] }

/** So many customers are looked at together. */
const TOGETHER = 4

/**
 * What a file would do, customer by customer. Nothing is written.
 * @throws ImportRefused that lists all that stands in the way, by line
 */
export async function planned(
  given: readonly GivenCustomer[],
  { signal, onProgress }: { signal: AbortSignal; onProgress(count: number): void },
): Promise<PlannedCustomer[]> {
  const { states, removed } = await listCustomerStates()
  const holders = new Map([...states].map(([id, { domain }]) => [domain, id]))
  const problems = given.flatMap((customer) => standing(customer, { holders, removed }))
  const found: PlannedCustomer[] = []
  for (let at = 0; at < given.length && problems.length < MOST_PROBLEMS; at += TOGETHER) {
    signal.throwIfAborted()
    const some = given.slice(at, at + TOGETHER)
    const plans = await Promise.all(some.map((customer) => planOf(customer, states)))
    for (const [index, { changes, problems: own }] of plans.entries()) {
      const customer = some[index] as GivenCustomer
      const isClosed = states.get(customer.id)?.closedAt && changes.some(({ kind }) => kind !== 'unchanged')
      problems.push(...own, ...(isClosed ? [fault(customer, 'customer', `${customer.id} is closed`)] : []))
      found.push({ given: customer, changes })
      onProgress(found.length)
    }
  }
  if (problems.length > 0)
    throw new ImportRefused(problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)).slice(0, MOST_PROBLEMS))
  return found
}

/** What of others stands in a customer's way: its domain is theirs, or its id was that of one who is gone. */
function standing(given: GivenCustomer, { holders, removed }: Others): ImportProblem[] {
  const { id, domain } = given
  const holder = domain === undefined ? undefined : holders.get(domain)
  const isOthers = holder !== undefined && holder !== id
  return [
    ...(removed.has(id)
      ? [fault(given, 'customer', `${id} was a customer that is gone: give another id`)]
      : []),
    ...(isOthers ? [fault(given, 'domain', `${domain} is of the customer ${holder} already`)] : []),
  ]
}

/** By domain the customer that has it; and the ids of those that are gone. */
type Others = { holders: ReadonlyMap<string, string>; removed: ReadonlySet<string> }

function planOf(given: GivenCustomer, states: ReadonlyMap<string, CustomerState>) {
  if (!states.has(given.id)) return plan(given, undefined)
  const customerId = newCustomerId(given.id)
  return readScope({ customerId }, async (tx) => plan(given, await readStored(tx, customerId)))
}

function fault({ line }: GivenCustomer, column: string, reason: string): ImportProblem {
  return { line, column, reason }
}
