import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ReactNode, Suspense } from 'react'

/**
 * So long a page waits for its rows, in milliseconds, before its frame leaves without them. An answer in its usual time
 * comes with the page: nothing flickers, and what fails or is not allowed still has a status of its own.
 */
const PATIENCE = 100

/** An answer that is there, or will be. */
export type Soon<T> = { now: T } | { later: Promise<T> }

/** @throws what the answer throws in this time */
export async function soon<T>(answer: Promise<T>): Promise<Soon<T>> {
  const first = await Promise.race([
    answer.then((now) => ({ now })),
    sleep(PATIENCE, undefined, { ref: false }),
  ])
  if (first) return first
  // Told where it is shown. Whoever has left meanwhile is not shown anything.
  answer.catch(() => {})
  return { later: answer }
}

/**
 * What of a page is made of an answer; `fallback` until that is there. Both ways it stands at the same place of the tree,
 * so that what somebody has begun there outlasts the next page.
 */
export function Late<T>({
  answer,
  fallback,
  children,
}: {
  answer: Soon<T>
  fallback: ReactNode
  children: (answer: T) => ReactNode
}) {
  return (
    <Suspense fallback={fallback}>
      {'now' in answer ? children(answer.now) : <Waited answer={answer.later}>{children}</Waited>}
    </Suspense>
  )
}

async function Waited<T>({ answer, children }: { answer: Promise<T>; children: (answer: T) => ReactNode }) {
  return children(await answer)
}
