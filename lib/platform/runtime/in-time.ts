import 'server-only'

/**
 * What `work` gives, or `late` at the abort, whichever comes first. The work goes on, and must not reject: others may
 * wait for it. The listener keeps the signal itself: a signal that only a chain of others leads to may be collected as
 * garbage, and its abort would never come.
 */
export async function inTime<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  late: Result,
): Promise<Result> {
  if (signal.aborted) return late
  const { promise: aborted, resolve } = Promise.withResolvers<Result>()
  const giveUp = () => resolve(late)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
