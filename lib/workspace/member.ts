import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'

/** A member whose screens these are. */
export type Member = { customerId: CustomerId; memberId: string }

/**
 * The signed-in member that a caller is.
 * @throws Problem `permission_denied` for an API key, which sees no screens
 */
export function memberOf({ via, customerId, id }: Caller, detail: string): Member {
  if (via === 'session') return { customerId, memberId: id }
  throw new Problem('permission_denied', detail)
}
