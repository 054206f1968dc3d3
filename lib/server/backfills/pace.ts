import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '#lib/platform/api/problem.ts'

/** Rows of a batch: as many as are done between these times, in milliseconds, so that nobody waits long for a row. */
const FIRST = 200
const MOST = 5000
const QUICK = 100
const SLOW = 300
/** After a batch the database has as long for others as that batch took, up to this, in milliseconds. */
const LONGEST_PAUSE = 1000

const TOO_LONG = '57014'
/** Somebody holds a row for longer than a batch waits: a large import does, for minutes. */
const BUSY = new Set(['55P03', '40P01', '40001'])
const BUSY_TRIES = 30
const FAILURE_PAUSE = 1000

/** How large the batches are, and how long the database is left alone after each. */
export function paceOf(signal: AbortSignal) {
  const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal }).catch(() => {})
  let rows = FIRST
  let busy = 0
  return {
    rows: () => rows,
    /** After a batch that took so many milliseconds. */
    async done(took: number): Promise<void> {
      busy = 0
      if (took < QUICK) rows = Math.min(rows * 2, MOST)
      if (took > SLOW) rows = Math.ceil(rows / 2)
      await pause(Math.min(took, LONGEST_PAUSE))
    },
    /** After a batch that failed. @throws the same error, where another try would not help */
    async failed(error: unknown): Promise<void> {
      const code = errorCode(error) ?? ''
      if (code === TOO_LONG && rows > 1) rows = Math.ceil(rows / 4)
      else if (BUSY.has(code) && busy < BUSY_TRIES) busy += 1
      else throw error
      await pause(FAILURE_PAUSE)
    },
  }
}
