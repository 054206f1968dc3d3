import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ReactNode, Suspense } from 'react'

/**
 * So long a page waits for its rows, in milliseconds, before its frame leaves without them. An answer in its usual time
 * comes with the page: nothing flickers, and what fails or is not allowed still has a status of its own.
 */
const STREAM_AFTER_MS = 100

/** An answer that is there, or will be. */
export type Deferred<T> = { now: T } | { pending: Promise<T> }

/** @throws what the answer throws in this time */
export async function settleWithin<T>(answer: Promise<T>): Promise<Deferred<T>> {
  const first = await Promise.race([
    answer.then((now) => ({ now })),
    sleep(STREAM_AFTER_MS, undefined, { ref: false }),
  ])
  if (first) return first
  // Told where it is shown. Whoever has left meanwhile is not shown anything.
  answer.catch(() => {})
  return { pending: answer }
}

/**
 * What of a page is made of an answer; `fallback` until that is there. Both ways it stands at the same place of the tree,
 * so that what somebody has begun there outlasts the next page.
 */
export function Streamed<T>({
  answer,
  fallback,
  children,
}: {
  answer: Deferred<T>
  fallback: ReactNode
  children: (answer: T) => ReactNode
}) {
  return (
    <Suspense fallback={fallback}>
      {'now' in answer ? children(answer.now) : <Waited answer={answer.pending}>{children}</Waited>}
    </Suspense>
  )
}

async function Waited<T>({ answer, children }: { answer: Promise<T>; children: (answer: T) => ReactNode }) {
  return children(await answer)
}
