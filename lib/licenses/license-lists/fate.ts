import { Problem } from '#lib/platform/api/problem.ts'

/**
 * What became of a change. `refused` and `conflict` are answers. `unknown`: the vendor has it and has not confirmed
 * it; `lost`: no answer came, so it may have been made. Both are told by asking again with the same key. `failed`: it
 * was not made, and may be if it is asked for again. `stopped`: nothing can be asked now.
 */
export type Fate = 'done' | 'refused' | 'conflict' | 'unknown' | 'lost' | 'failed' | 'stopped'

const STOPPED = ['unauthenticated', 'permission_denied']
const FAILED = ['vendor_unavailable', 'change_in_progress', 'rate_limited']

/** The fate of a change that was answered with an error: `done` where somebody else had set the same total. */
export function fateOf(error: unknown, quantity: number): Fate {
  if (!(error instanceof Problem)) return 'lost'
  if (error.code === 'version_mismatch') return error.more.members?.current === quantity ? 'done' : 'conflict'
  if (error.code === 'outcome_unknown') return 'unknown'
  if (STOPPED.includes(error.code)) return 'stopped'
  if (FAILED.includes(error.code)) return 'failed'
  return error.status >= 500 ? 'lost' : 'refused'
}
