import { setTimeout as sleep } from 'node:timers/promises'
import { byteBudget, gate } from '#lib/platform/runtime/concurrency.ts'
import type { Handler, Pages } from '../http-handler.ts'

/**
 * Longest time that a page holds its slot, in milliseconds. Pages render in a tenth of it; slower ones wait for their
 * reader or the database, and use no processor.
 */
const MAX_PAGE_MS = 1000
/**
 * Longest pause after a page of an unknown client, in milliseconds; longer renders were waiting rather than using a
 * processor.
 */
const MAX_REST_MS = 100

/**
 * Bytes of pages that were not taken yet, estimated: HTML, data and compressor of one page, of all pages, of one
 * session, and of unknown clients.
 */
const PAGE_BYTES = 2 * 1024 * 1024
const UNREAD = { all: 40 * PAGE_BYTES, each: 12 * PAGE_BYTES, anonymous: 8 * PAGE_BYTES }

/**
 * Limits concurrent page renders, because a page takes a processor for as long as dozens of API responses. Unknown
 * clients share one slot, separate from members, and the slot pauses for as long as the render took, so that a flood of
 * them uses at most half of a processor.
 */
export function boundedPages(inside: Handler): Pages {
  const members = gate({ atOnce: 6, waiting: 200, timeoutMs: 5000 })
  const anonymousGate = gate({ atOnce: 1, waiting: 50, timeoutMs: 2000 })
  const unread = byteBudget(UNREAD)
  return async (req, res, { isMember, session }) => {
    unread.check(session)
    const leave = await (isMember ? members : anonymousGate)()
    const inSlot = async () => {
      // The client has disconnected while waiting.
      if (res.destroyed) return
      res.once('close', unread.hold(PAGE_BYTES, session))
      await inside(req, res)
    }
    await holdSlot(inSlot, leave, { maxMs: MAX_PAGE_MS, maxRestMs: isMember ? 0 : MAX_REST_MS })
  }
}

/**
 * Longest times in milliseconds that the steps of a sign-in hold the slot, by the beginning of their path. A step that takes
 * longer waits for an identity provider, which must not hold up the sign-ins of other customers, or checks a password.
 */
const STEPS = [
  ['/api/auth/csrf', 50],
  ['/auth/sign-on/begin', 20],
  ['/api/auth/callback/credentials', 10],
] as const

/**
 * Limits the steps of a sign-in, like pages of unknown clients: a flood of them uses at most half of a processor. Password
 * checks have a limit of their own in addition.
 */
export function boundedSteps(inside: Handler): Handler {
  const enter = gate({ atOnce: 1, waiting: 500, timeoutMs: 5000 })
  return async (req, res) => {
    const [, maxMs] = STEPS.find(([path]) => req.url?.startsWith(path)) ?? []
    if (maxMs === undefined) return inside(req, res)
    const leave = await enter()
    const inSlot = async () => {
      // The client has disconnected while waiting.
      if (!res.destroyed) await inside(req, res)
    }
    await holdSlot(inSlot, leave, { maxMs, maxRestMs: maxMs })
  }
}

/**
 * Runs work in a slot. Releases the slot after the work and a pause as long as the work took, `maxRestMs` at most; or
 * after `maxMs`, without a pause, because work that takes longer waits and uses no processor.
 */
async function holdSlot(
  work: () => Promise<void>,
  leave: () => void,
  { maxMs, maxRestMs }: { maxMs: number; maxRestMs: number },
): Promise<void> {
  const began = performance.now()
  const rest = () => {
    if (maxRestMs === 0) return leave()
    setTimeout(leave, Math.min(maxRestMs, performance.now() - began)).unref()
  }
  try {
    const abort = new AbortController()
    const done = work().finally(() => abort.abort())
    const isLong = sleep(maxMs, true, { signal: abort.signal }).catch(() => false)
    if (await Promise.race([done.then(() => false), isLong])) leave()
    else rest()
    await done
  } finally {
    rest()
  }
}
