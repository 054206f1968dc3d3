import { setTimeout as sleep } from 'node:timers/promises'
import { gate } from '#lib/platform/runtime/concurrency.ts'
import type { Handler, Pages } from '../http-handler.ts'

/** A page is made in a tenth of this. What takes longer waits for its reader, or for the database, and no processor. */
const MAX_PAGE_MS = 1000
/** After a stranger's page, in milliseconds: more would be no time that it took of a processor. */
const MAX_REST_MS = 100

/**
 * Bounds how many pages are made at once, for a page takes a processor for as long as dozens of the API's answers: for
 * strangers one, apart from members, and then none for as long as that one took: so no flood of theirs has more than
 * half of a processor.
 */
export function boundedPages(inside: Handler): Pages {
  const members = gate({ atOnce: 6, waiting: 200, timeoutMs: 5000 })
  const anonymousGate = gate({ atOnce: 1, waiting: 50, timeoutMs: 2000 })
  return async (req, res, { isMember }) => {
    const leave = await (isMember ? members : anonymousGate)()
    const began = performance.now()
    const rest = () => {
      if (isMember) return leave()
      setTimeout(leave, Math.min(MAX_REST_MS, performance.now() - began)).unref()
    }
    try {
      // Who has gone meanwhile gets none.
      if (res.destroyed) return
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
