import { setTimeout as sleep } from 'node:timers/promises'
import { gate } from '#lib/access/limits/gate.ts'
import type { Handler, Pages } from '../front-door.ts'

/** A page is made in a tenth of this. What takes longer waits for its reader, or for the database, and no processor. */
const LONGEST = 2000

/**
 * Bounds how many pages are made at once, for a page takes a processor for as long as dozens of the API's answers: for
 * strangers fewer, apart from members, so that no flood of theirs keeps a member waiting.
 */
export function boundedPages(inside: Handler): Pages {
  const members = gate({ atOnce: 6, waiting: 200, patience: 5000 })
  const strangers = gate({ atOnce: 2, waiting: 50, patience: 2000 })
  return async (req, res, { isMember }) => {
    const leave = await (isMember ? members : strangers)()
    try {
      // Who has gone meanwhile gets none.
      if (res.destroyed) return
      const done = Promise.resolve(inside(req, res))
      await Promise.race([done, sleep(LONGEST, undefined, { ref: false })])
      leave()
      await done
    } finally {
      leave()
    }
  }
}
