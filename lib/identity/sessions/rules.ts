import type { Caller } from '#lib/platform/caller/rules.ts'

/** Whose sessions are asked for: one's own, or those of all of the customer's members. */
export const WHOSE = ['own', 'all'] as const
export type Whose = (typeof WHOSE)[number]

type CallerIdentity = Pick<Caller, 'via' | 'id' | 'roles'>

/** Whether the caller may see and end the sessions of others: Admins may, and their keys. */
export function maySeeOthers({ roles }: Pick<Caller, 'roles'>): boolean {
  return roles.includes('admin')
}

/**
 * Whose sessions the caller sees, and may end.
 * @returns `all`; or whose alone, where that is somebody: a key has no sessions of its own
 */
export function sessionScopeOf(
  caller: CallerIdentity,
  whose: Whose,
): 'all' | { memberId: string } | 'nobody' | 'refused' {
  if (whose === 'all') return maySeeOthers(caller) ? 'all' : 'refused'
  return caller.via === 'session' ? { memberId: caller.id } : 'nobody'
}
