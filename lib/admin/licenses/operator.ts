import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, Role } from '#lib/platform/caller/rules.ts'
import { asOperator, findCustomer } from '#lib/platform/caller/store.ts'

/**
 * The operator as a caller of operations for one customer.
 * @param idOrDomain of the customer; undefined where there is none
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
