import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ReactNode, Suspense } from 'react'

/**
 * Milliseconds that a page waits for its rows before its frame is sent without them. Answers in their usual time arrive
 * with the page: without a flicker, and an error or a refusal still sets the status code.
 */
const STREAM_AFTER_MS = 100

/** Answer that is available, or pending. */
export type Deferred<T> = { now: T } | { pending: Promise<T> }

/**
 * Waits up to `STREAM_AFTER_MS` for an answer, and returns it or its pending promise.
 * @throws errors of the answer within this time
 */
export async function settleWithin<T>(answer: Promise<T>): Promise<Deferred<T>> {
  const first = await Promise.race([
    answer.then((now) => ({ now })),
    sleep(STREAM_AFTER_MS, undefined, { ref: false }),
  ])
  if (first) return first
  // Handled where the answer is rendered. Without this, an aborted page would leave an unhandled rejection.
  answer.catch(() => {})
  return { pending: answer }
}

/**
 * Renders the part of a page that needs an answer; `fallback` until it arrives. Both are at the same place in the tree,
 * so that the user's unsaved input survives the next page.
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
