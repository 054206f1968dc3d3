import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, Role } from '#lib/platform/caller/rules.ts'
import { asOperator, findCustomer } from '#lib/platform/caller/store.ts'

/**
 * Returns the operator as a caller of one customer's operations.
 * @param idOrDomain of the customer
 * @returns undefined for an unknown customer
 */
export async function operatorFor(idOrDomain: string, roles: readonly Role[]): Promise<Caller | undefined> {
  const customer = await findCustomer(idOrDomain)
  return customer && asOperator(customer, roles)
}

/**
 * Like `operatorFor`, but requires the customer to exist.
 * @throws Problem where no customer has this id or domain
 */
export async function operatorOf(idOrDomain: string, roles: readonly Role[]): Promise<Caller> {
  const operator = await operatorFor(idOrDomain, roles)
  if (!operator) throw new Problem('not_found', `There is no customer "${idOrDomain}".`)
  return operator
}
