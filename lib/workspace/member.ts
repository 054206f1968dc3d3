import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'

/** Member who uses the screens. */
export type Member = { customerId: CustomerId; memberId: string }

/**
 * Returns the caller as a signed-in member.
 * @throws Problem `permission_denied` for an API key, which uses no screens
 */
export function memberOf(
  { via, customerId, id }: Pick<Caller, 'via' | 'customerId' | 'id'>,
  detail: string,
): Member {
  if (via === 'session') return { customerId, memberId: id }
  throw new Problem('permission_denied', detail)
}
