import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { isFresh } from './rules.ts'

/**
 * To be asked before anything is done by a call that changes keys or members.
 * @throws Problem `fresh_sign_in_required`, where a session's member proved who they are too long ago; the console asks
 *   them to do so again, and repeats the request
 */
export function requireFresh(caller: Caller): void {
  if (isFresh(caller)) return
  throw new Problem(
    'fresh_sign_in_required',
    'This session was opened, or confirmed, more than 10 minutes ago. Confirm that it is you, then ask again.',
  )
}
