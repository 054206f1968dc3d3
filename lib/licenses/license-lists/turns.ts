import pLimit from 'p-limit'

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
