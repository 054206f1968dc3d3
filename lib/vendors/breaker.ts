import 'server-only'
import type { Reading, RemoteVendor, Unavailable } from './vendor.ts'

type Page = Awaited<ReturnType<RemoteVendor['list']>>

/** A vendor that is left alone for a while when it failed several times in a row. */
export type GuardedVendor = RemoteVendor & {
  /** Whole seconds for which it is left alone from now on; 0: it may be asked. */
  pausedFor(): number
}

const MOST_FAILURES = 5

/**
 * Puts a circuit breaker before a vendor: after five failures in a row it is not called for `pauseMs` milliseconds,
 * so that requests fail at once and it can recover. Then one call is let through, which decides.
 * Kept per process: each learns it by itself.
 */
export function withBreaker(vendor: RemoteVendor, pauseMs: number): GuardedVendor {
  // Apart, for a vendor may go on showing what it can't change: a read that went well says nothing of its writes.
  const failures = { read: 0, write: 0 }
  let pausedUntil = 0
  const isFailing = () => Math.max(failures.read, failures.write) >= MOST_FAILURES
  const pausedFor = () => Math.max(0, Math.ceil((pausedUntil - Date.now()) / 1000))
  const paused = (): Unavailable => {
    const reason = `${vendor.label} failed ${MOST_FAILURES} times in a row and is left alone.`
    return { kind: 'unavailable', reason, retryAfter: pausedFor() }
  }
  async function asked<A extends { kind: string }>(
    kind: 'read' | 'write',
    call: () => Promise<A>,
    hasFailed: (answer: A) => boolean,
  ): Promise<A> {
    // Who asks now tries for all: until it is known, the others are told to wait.
    if (isFailing()) pausedUntil = Date.now() + pauseMs
    const answer = await call()
    failures[kind] = hasFailed(answer) ? failures[kind] + 1 : 0
    pausedUntil = isFailing() ? Date.now() + pauseMs : 0
    return answer
  }
  const isDown = (answer: Reading | Page) => answer.kind === 'unavailable' && answer.others !== 'answer'
  return {
    ...vendor,
    pausedFor,
    async read(ref, signal) {
      return pausedFor() > 0 ? paused() : asked('read', () => vendor.read(ref, signal), isDown)
    },
    async list(cursor, signal) {
      return pausedFor() > 0 ? paused() : asked('read', () => vendor.list(cursor, signal), isDown)
    },
    // Never held back: its change says SENT already, and the read before it has just been answered.
    setQuantity(observed, total, changeId, signal) {
      return asked(
        'write',
        () => vendor.setQuantity(observed, total, changeId, signal),
        (answer) =>
          answer.kind === 'unknown' || (answer.kind === 'not_sent' && answer.code === 'vendor_unavailable'),
      )
    },
  }
}
