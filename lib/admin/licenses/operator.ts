import 'server-only'
import type { Caller, Role } from '#lib/access/rules.ts'
import { findCustomer } from '#lib/access/store.ts'
import { Problem } from '#lib/api/problem.ts'
import { OPERATOR } from '#lib/history/audit.ts'

/**
 * The operator as a caller of operations: for one customer, with the roles that a command needs and no billing
 * profile. For the command line alone, whose user holds the database itself: no request ever becomes this caller.
 * @param idOrDomain of the customer; undefined where there is none
 */
export async function operatorFor(idOrDomain: string, roles: readonly Role[]): Promise<Caller | undefined> {
  const customer = await findCustomer(idOrDomain)
  if (!customer) return undefined
  const { customerId, name: customerName, domain: customerDomain, contactEmail: email } = customer
  const { id, name } = OPERATOR
  return {
    customerId,
    customerName,
    customerDomain,
    via: 'operator',
    id,
    name,
    email,
    roles,
    billingProfiles: [],
  }
}

/**
 * The same, where there has to be such a customer.
 * @throws Problem where no customer has this id or domain
 */
export async function operatorOf(idOrDomain: string, roles: readonly Role[]): Promise<Caller> {
  const operator = await operatorFor(idOrDomain, roles)
  if (!operator) throw new Problem('not_found', `There is no customer "${idOrDomain}".`)
  return operator
}
