import 'server-only'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import type { Caller, CustomerId, Role } from './rules.ts'

type Customer = { customerId: CustomerId; name: string; domain: string; contactEmail: string }

/**
 * The operator as a caller of operations: for one customer, with the roles that a command needs and no billing profile.
 * For the command line alone, whose user holds the database itself: no request ever becomes this caller.
 */
export function asOperator(
  { customerId, name: customerName, domain: customerDomain, contactEmail: email }: Customer,
  roles: readonly Role[],
): Caller {
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
