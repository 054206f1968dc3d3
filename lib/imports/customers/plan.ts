import 'server-only'
import { type CustomerState, listCustomerStates } from '#lib/identity/customers/store.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { ImportError, type ImportProblem, MAX_PROBLEMS } from '../import-error.ts'
import { type Change, plan } from './differences.ts'
import type { CustomerInput } from './schemas.ts'
import { readStored } from './stored.ts'

/** Effects of a file on one customer. */
export type CustomerChanges = { input: CustomerInput; changes: Change[] }

/** Customers that are read together. */
const TOGETHER = 4

/**
 * Returns the effects of a file by customer, without writing.
 * @throws ImportError that lists all obstacles by line
 */
export async function planCustomers(
  inputs: readonly CustomerInput[],
  { signal, onProgress }: { signal: AbortSignal; onProgress(count: number): void },
): Promise<CustomerChanges[]> {
  const { states, removed } = await listCustomerStates()
  const holders = new Map([...states].map(([id, { domain }]) => [domain, id]))
  const problems = inputs.flatMap((customer) => holderProblems(customer, { holders, removed }))
  const result: CustomerChanges[] = []
  for (let at = 0; at < inputs.length && problems.length < MAX_PROBLEMS; at += TOGETHER) {
    signal.throwIfAborted()
    const some = inputs.slice(at, at + TOGETHER)
    const plans = await Promise.all(some.map((customer) => planOf(customer, states)))
    for (const [index, { changes, problems: planProblems }] of plans.entries()) {
      const customer = some[index] as CustomerInput
      const isClosed = states.get(customer.id)?.closedAt && changes.some(({ kind }) => kind !== 'unchanged')
      problems.push(
        ...planProblems,
        ...(isClosed ? [problem(customer, 'customer', `${customer.id} is closed`)] : []),
      )
      result.push({ input: customer, changes })
      onProgress(result.length)
    }
  }
  if (problems.length > 0)
    throw new ImportError(problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)).slice(0, MAX_PROBLEMS))
  return result
}

/** Returns the conflicts with other customers: a domain in use, or the id of a removed customer. */
function holderProblems(input: CustomerInput, { holders, removed }: Others): ImportProblem[] {
  const { id, domain } = input
  const holder = domain === undefined ? undefined : holders.get(domain)
  const isOthers = holder !== undefined && holder !== id
  return [
    ...(removed.has(id)
      ? [problem(input, 'customer', `${id} was a customer that is gone: give another id`)]
      : []),
    ...(isOthers ? [problem(input, 'domain', `${domain} is of the customer ${holder} already`)] : []),
  ]
}

/** Customer by domain; and the ids of removed customers. */
type Others = { holders: ReadonlyMap<string, string>; removed: ReadonlySet<string> }

function planOf(input: CustomerInput, states: ReadonlyMap<string, CustomerState>) {
  if (!states.has(input.id)) return plan(input, undefined)
  const customerId = newCustomerId(input.id)
  return readScope({ customerId }, async (tx) => plan(input, await readStored(tx, customerId)))
}

function problem({ line }: CustomerInput, column: string, reason: string): ImportProblem {
  return { line, column, reason }
}
