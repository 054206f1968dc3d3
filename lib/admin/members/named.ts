import { memberWith } from '#lib/identity/members/store/read.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { operatorFor } from '../licenses/operator.ts'

/** Whom a command is about. */
export type Named = { customer: string; email: string }

/**
 * The operator as the caller of a member's operations.
 * @throws Problem where there is no such customer
 */
export async function operatorOf({ customer }: Named): Promise<Caller> {
  const operator = await operatorFor(customer, ['admin'])
  if (!operator) throw new Problem('not_found', `There is no customer "${customer}".`)
  return operator
}

/**
 * The id of the member with this address.
 * @throws Problem where the customer has none
 */
export async function idOf(
  tx: Transaction,
  { customerId, customerName }: Caller,
  { email }: Named,
): Promise<string> {
  const id = await memberWith(tx, customerId, email.trim())
  if (id === undefined)
    throw new Problem('not_found', `${customerName} has no member with the address ${email}.`)
  return id
}
