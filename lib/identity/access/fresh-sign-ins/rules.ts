import type { Caller } from '#lib/platform/caller/rules.ts'

/** For so many seconds after a member proved who they are, their session may change keys and members. */
const FRESH_SECONDS = 10 * 60

/**
 * Whether it is certain enough who is calling to change keys and members. A session may stand open while its member is
 * away from it; a key and the command line have nobody who could be asked, and other rules bound what they may change.
 */
export function isFresh({ via, provenSecondsAgo }: Pick<Caller, 'via' | 'provenSecondsAgo'>): boolean {
  return via !== 'session' || (provenSecondsAgo !== undefined && provenSecondsAgo < FRESH_SECONDS)
}
