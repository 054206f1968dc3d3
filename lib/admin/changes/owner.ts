import { unsettledChanges } from '#lib/identity/access/due-work.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { customerNamed } from '../command.ts'

/** Whose change it is: those that wait for a person are found without being told. */
export async function ownerOf(id: string, customer: string | undefined): Promise<CustomerId> {
  if (customer !== undefined) return (await customerNamed(customer)).customerId
  const found = (await unsettledChanges()).find(({ changeId }) => changeId === id)
  if (!found) throw notFound(id)
  return found.customerId
}

export function notFound(id: string): Problem {
  return new Problem(
    'not_found',
    `No change ${id} waits for a person. For one that is settled, give --customer.`,
  )
}
