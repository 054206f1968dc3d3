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
    const began = performance.now()
    const rest = () => {
      if (isMember) return leave()
      setTimeout(leave, Math.min(MAX_REST_MS, performance.now() - began)).unref()
    }
    try {
      // The client has disconnected while waiting.
      if (res.destroyed) return
      res.once('close', unread.hold(PAGE_BYTES, session))
      const abort = new AbortController()
      const done = Promise.resolve(inside(req, res)).finally(() => abort.abort())
      await Promise.race([done, sleep(MAX_PAGE_MS, undefined, { signal: abort.signal }).catch(() => {})])
      rest()
      await done
    } finally {
      rest()
    }
  }
}
