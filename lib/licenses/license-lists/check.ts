import type { QuantityState } from '#lib/licenses/assets/quantity-rule.ts'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

/** State of an asset before its change: undefined where the asset has no licenses. `etag` is the version's ETag. */
export type AssetSnapshot = { quantityState: QuantityState | undefined; etag: string | undefined }

/** Result of a dry run: `same` changes nothing, `unchecked` could not be asked. */
export type Checked = AssetSnapshot & { check: 'allowed' | 'same' | 'refused' | 'unchecked'; error?: unknown }

/**
 * Predicts the answer to a change with a dry run. Where the current total differs from the known one, because another
 * user just set it or the vendor counts differently, asks once more with the current total.
 * @param dryRun asks for the version passed to it
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
    const members = error instanceof ProblemError && error.code === 'version_mismatch' && error.more.members
    const { current, etag } = members || {}
    if (!snapshot.quantityState || typeof current !== 'number' || typeof etag !== 'string')
      return onRejected(snapshot)(error)
    const newer = { quantityState: { ...snapshot.quantityState, purchased: current }, etag }
    return runDryRun(newer, onRejected(newer))
  })
}

/**
 * Outcome of a change. `refused` and `conflict` are answers. `unknown`: the vendor has the change and has not confirmed
 * it; `lost`: no answer arrived, so the change may have been made. Repeating the request with the same key resolves
 * both. `failed`: the change was not made and may be requested again. `stopped`: requests are impossible now.
 */
export type ChangeOutcome = 'done' | 'refused' | 'conflict' | 'unknown' | 'lost' | 'failed' | 'stopped'

const STOPPED = ['unauthenticated', 'permission_denied']
const FAILED = ['vendor_unavailable', 'change_in_progress', 'rate_limited']

/** Returns the outcome of a change from an error answer: `done` where another user had set the same total. */
export function outcomeOf(error: unknown, quantity: number): ChangeOutcome {
  if (!(error instanceof ProblemError)) return 'lost'
  if (error.code === 'version_mismatch') return error.more.members?.current === quantity ? 'done' : 'conflict'
  if (error.code === 'outcome_unknown') return 'unknown'
  if (STOPPED.includes(error.code)) return 'stopped'
  if (FAILED.includes(error.code)) return 'failed'
  return error.status >= 500 ? 'lost' : 'refused'
}
