import 'server-only'
import type { RemoteVendor, Unavailable } from './vendor.ts'

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
  let failures = 0
  let pausedUntil = 0
  const isPaused = () => Date.now() < pausedUntil
  const pausedFor = () => Math.max(0, Math.ceil((pausedUntil - Date.now()) / 1000))
  const note = (failed: boolean) => {
    failures = failed ? failures + 1 : 0
    pausedUntil = failures >= MOST_FAILURES ? Date.now() + pauseMs : 0
  }
  const paused = (): Unavailable => {
    const reason = `${vendor.label} failed ${MOST_FAILURES} times in a row and is left alone.`
    return { kind: 'unavailable', reason, retryAfter: pausedFor() }
  }
  const asked = async <A extends { kind: string }>(
    call: () => Promise<A>,
    failed: (answer: A) => boolean,
  ) => {
    // Who asks now tries for all: until it is known, the others are told to wait.
    if (failures >= MOST_FAILURES) pausedUntil = Date.now() + pauseMs
    const answer = await call()
    note(failed(answer))
    return answer
  }
  return {
    ...vendor,
    pausedFor,
    async read(ref, signal) {
      if (isPaused()) return paused()
      return asked(
        () => vendor.read(ref, signal),
        ({ kind }) => kind === 'unavailable',
      )
    },
    async list(cursor, signal) {
      if (isPaused()) return paused()
      return asked(
        () => vendor.list(cursor, signal),
        ({ kind }) => kind === 'unavailable',
      )
    },
    // Never held back: its change says SENT already, and the read before it has just been answered.
    async setQuantity(observed, total, changeId, signal) {
      return asked(
        () => vendor.setQuantity(observed, total, changeId, signal),
        (answer) =>
          answer.kind === 'unknown' || (answer.kind === 'not_sent' && answer.code === 'vendor_unavailable'),
      )
    },
  }
}
