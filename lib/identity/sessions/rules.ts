import { type Caller, maySeeOthers } from '#lib/platform/caller/rules.ts'

/** Owners of the listed sessions: the caller, or all members of the customer. */
export const WHOSE = ['own', 'all'] as const
export type Whose = (typeof WHOSE)[number]

type CallerIdentity = Pick<Caller, 'via' | 'id' | 'roles'>

/**
 * Returns the sessions that the caller sees and may end.
 * @returns `all`, or a single member; undefined for a key, which has no sessions of its own
 */
export function sessionScopeOf(
  caller: CallerIdentity,
  whose: Whose,
): 'all' | { memberId: string } | 'nobody' | 'refused' {
  if (whose === 'all') return maySeeOthers(caller) ? 'all' : 'refused'
  return caller.via === 'session' ? { memberId: caller.id } : 'nobody'
}
