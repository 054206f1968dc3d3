import pLimit from 'p-limit'
import { Problem } from '#lib/api/problem.ts'
import { decideQuantity, needsTypedTotal, type QuantityFacts } from '#lib/assets/rules.ts'

// What the screen and the command line do alike with many changes of licenses. Plain code: the browser runs it too.

/** Changes as a whole, in licenses. `committed` is what is added on commitment plans, which can't be undone. */
export type Totals = { assets: number; added: number; removed: number; committed: number; mustType: boolean }

/** What the changes come to; `mustType`: one of them alone would need its total typed. */
export function totalsOf(changes: readonly { facts: QuantityFacts; quantity: number }[]): Totals {
  const totals: Totals = { assets: changes.length, added: 0, removed: 0, committed: 0, mustType: false }
  for (const { facts, quantity } of changes) {
    const change = quantity - facts.purchased
    totals.added += Math.max(0, change)
    totals.removed += Math.max(0, -change)
    if (facts.isCommitmentPlan) totals.committed += Math.max(0, change)
    totals.mustType ||= decideQuantity(facts, quantity).allowed && needsTypedTotal(facts, quantity)
  }
  return totals
}

/** In words: `Set 12 assets, +137 licenses, of which 90 can’t be lowered before their renewal`. */
export function totalsText({ assets, added, removed, committed }: Totals): string {
  const count = (value: number) => value.toLocaleString('en')
  const parts = [added > 0 ? `+${count(added)}` : '', removed > 0 ? `−${count(removed)}` : ''].filter(Boolean)
  const only = added + removed === 1 ? 'license' : 'licenses'
  const what = `Set ${count(assets)} ${assets === 1 ? 'asset' : 'assets'}, ${parts.join(' and ')} ${only}`
  if (committed === 0) return what
  const which =
    removed > 0
      ? `; ${committed < added ? `${count(committed)} of the added ones` : 'the added ones'} `
      : `, ${committed < added ? `of which ${count(committed)}` : 'which'} `
  return `${what}${which}can’t be lowered before their renewal`
}

/**
 * What became of a change. `refused` and `conflict` are answers. `unknown`: the vendor has it and has not confirmed
 * it; `lost`: no answer came, so it may have been made. Both are told by asking again with the same key. `failed`: it
 * was not made, and may be if it is asked for again. `stopped`: nothing can be asked now.
 */
export type Fate = 'done' | 'refused' | 'conflict' | 'unknown' | 'lost' | 'failed' | 'stopped'

const STOPPED = ['unauthenticated', 'permission_denied']
const FAILED = ['vendor_unavailable', 'change_in_progress']

/** The fate of a change that was answered with an error: `done` where somebody else had set the same total. */
export function fateOf(error: unknown, quantity: number): Fate {
  if (!(error instanceof Problem)) return 'lost'
  if (error.code === 'version_mismatch') return error.more.members?.current === quantity ? 'done' : 'conflict'
  if (error.code === 'outcome_unknown') return 'unknown'
  if (STOPPED.includes(error.code)) return 'stopped'
  if (FAILED.includes(error.code)) return 'failed'
  return error.status >= 500 ? 'lost' : 'refused'
}

/** What is known of an asset before its change: undefined where it has no licenses. `etag` is of its version. */
export type Known = { facts: QuantityFacts | undefined; etag: string | undefined }

/** What a dry run says: `same` changes nothing, `unchecked` could not be asked. */
export type Checked = Known & { check: 'allowed' | 'same' | 'refused' | 'unchecked'; error?: unknown }

/**
 * Asks what a change would answer. Where the total is another than was known, be it that somebody set it a moment
 * ago or that the vendor counts otherwise, it is asked once more with that one.
 * @param dryRun asks for the version that it is given
 */
export async function foresee(
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

/** How much is asked at once: in all, and of assets of one type, which mostly have one vendor. */
const AT_ONCE = 4
const AT_ONCE_OF_TYPE = 2

/** Works on all items, a few at once, in their order; after an abort it begins no more and waits for those begun. */
export async function inTurns<T extends { type: string }>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const all = pLimit(AT_ONCE)
  const ofType = new Map(items.map(({ type }) => [type, pLimit(AT_ONCE_OF_TYPE)]))
  const turn = async (item: T) => {
    if (!signal.aborted) await work(item)
  }
  // A type's turn comes first: who waits for it keeps nobody of another type waiting.
  const turns = items.map((item) => ofType.get(item.type)?.(() => all(turn, item)))
  await Promise.all(turns)
}

/** How often, and how many times, a change is looked up that its vendor has not confirmed; in milliseconds. */
const LOOK_EVERY = 5000
const MOST_LOOKS = 36

/**
 * Asks for each change, and again for those whose outcome was not known, until it is or three minutes have passed.
 * @param ask whether the outcome is known; it asks with the same key each time, and does not throw
 * @param pause resolves after so many milliseconds, or at an abort
 */
export async function carryOut<T extends { type: string }>(
  items: readonly T[],
  ask: (item: T) => Promise<boolean>,
  pause: (ms: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let open = items
  for (let look = 0; look <= MOST_LOOKS && open.length > 0 && !signal.aborted; look++) {
    if (look > 0) await pause(LOOK_EVERY)
    const unknown = new Set<T>()
    const work = async (item: T) => {
      if (!(await ask(item))) unknown.add(item)
    }
    await inTurns(open, work, signal)
    open = open.filter((item) => unknown.has(item))
  }
}
