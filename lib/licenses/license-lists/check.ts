import type { QuantityFacts } from '#lib/licenses/assets/commitment.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { fateOf } from './fate.ts'

/** What is known of an asset before its change: undefined where it has no licenses. `etag` is of its version. */
export type Known = { facts: QuantityFacts | undefined; etag: string | undefined }

/** What a dry run says: `same` changes nothing, `unchecked` could not be asked. */
export type Checked = Known & { check: 'allowed' | 'same' | 'refused' | 'unchecked'; error?: unknown }

/**
 * Asks what a change would answer. Where the total is another than was known, be it that somebody set it a moment
 * ago or that the vendor counts otherwise, it is asked once more with that one.
 * @param dryRun asks for the version that it is given
 */
export async function checkTarget(
  quantity: number,
  known: Known,
  dryRun: (etag: string | undefined) => Promise<unknown>,
): Promise<Checked> {
  const asked = (at: Known, onError: (error: unknown) => Checked | Promise<Checked>) =>
    dryRun(at.etag).then(
      (): Checked => ({ ...at, check: at.facts?.purchased === quantity ? 'same' : 'allowed' }),
      onError,
    )
  const refused = (at: Known) => (error: unknown) => {
    const isAnswer = ['refused', 'conflict', 'done'].includes(fateOf(error, quantity))
    return { ...at, check: isAnswer ? ('refused' as const) : ('unchecked' as const), error }
  }
  return asked(known, (error) => {
    const found = error instanceof Problem && error.code === 'version_mismatch' && error.more.members
    const { current, etag } = found || {}
    if (!known.facts || typeof current !== 'number' || typeof etag !== 'string') return refused(known)(error)
    const newer = { facts: { ...known.facts, purchased: current }, etag }
    return asked(newer, refused(newer))
  })
}
