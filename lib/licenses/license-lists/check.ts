import type { QuantityState } from '#lib/licenses/assets/rules.ts'
import { Problem } from '#lib/platform/api/problem.ts'

/** What is known of an asset before its change: undefined where it has no licenses. `etag` is of its version. */
export type AssetSnapshot = { quantityState: QuantityState | undefined; etag: string | undefined }

/** What a dry run says: `same` changes nothing, `unchecked` could not be asked. */
export type Checked = AssetSnapshot & { check: 'allowed' | 'same' | 'refused' | 'unchecked'; error?: unknown }

/**
 * Asks what a change would answer. Where the total is another than was known, be it that somebody set it a moment
 * ago or that the vendor counts otherwise, it is asked once more with that one.
 * @param dryRun asks for the version that it is given
 */
export async function checkTarget(
  quantity: number,
  snapshot: AssetSnapshot,
  dryRun: (etag: string | undefined) => Promise<unknown>,
): Promise<Checked> {
  const runDryRun = (at: AssetSnapshot, onError: (error: unknown) => Checked | Promise<Checked>) =>
    dryRun(at.etag).then(
      (): Checked => ({ ...at, check: at.quantityState?.purchased === quantity ? 'same' : 'allowed' }),
      onError,
    )
  const onRejected = (at: AssetSnapshot) => (error: unknown) => {
    const isAnswer = ['refused', 'conflict', 'done'].includes(outcomeOf(error, quantity))
    return { ...at, check: isAnswer ? ('refused' as const) : ('unchecked' as const), error }
  }
  return runDryRun(snapshot, (error) => {
    const members = error instanceof Problem && error.code === 'version_mismatch' && error.more.members
    const { current, etag } = members || {}
    if (!snapshot.quantityState || typeof current !== 'number' || typeof etag !== 'string')
      return onRejected(snapshot)(error)
    const newer = { quantityState: { ...snapshot.quantityState, purchased: current }, etag }
    return runDryRun(newer, onRejected(newer))
  })
}

/**
 * What became of a change. `refused` and `conflict` are answers. `unknown`: the vendor has it and has not confirmed
 * it; `lost`: no answer came, so it may have been made. Both are told by asking again with the same key. `failed`: it
 * was not made, and may be if it is asked for again. `stopped`: nothing can be asked now.
 */
export type ChangeOutcome = 'done' | 'refused' | 'conflict' | 'unknown' | 'lost' | 'failed' | 'stopped'

const STOPPED = ['unauthenticated', 'permission_denied']
const FAILED = ['vendor_unavailable', 'change_in_progress', 'rate_limited']

/** The fate of a change that was answered with an error: `done` where somebody else had set the same total. */
export function outcomeOf(error: unknown, quantity: number): ChangeOutcome {
  if (!(error instanceof Problem)) return 'lost'
  if (error.code === 'version_mismatch') return error.more.members?.current === quantity ? 'done' : 'conflict'
  if (error.code === 'outcome_unknown') return 'unknown'
  if (STOPPED.includes(error.code)) return 'stopped'
  if (FAILED.includes(error.code)) return 'failed'
  return error.status >= 500 ? 'lost' : 'refused'
}
