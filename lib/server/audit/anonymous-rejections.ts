import 'server-only'
import { database } from '#lib/platform/db/client.ts'
import {
  drainAnonymousRejections,
  recordRepetitions,
  restoreAnonymousRejections,
} from '#lib/platform/history/requests.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'

const MINUTE = 60_000

/**
 * Adds this process's counts to those of other processes in the same minute. Counts that the database rejects are kept
 * for the next time.
 */
export async function persistAnonymousRejections(): Promise<void> {
  const drained = drainAnonymousRejections()
  if (drained.length === 0) return
  try {
    await database().jobs.query(
      `INSERT INTO refused_strangers AS s (minute, kind, count)
       SELECT date_trunc('minute', now()), t.kind, t.count FROM unnest($1::text[], $2::bigint[]) AS t (kind, count)
       ON CONFLICT (minute, kind) DO UPDATE SET count = s.count + excluded.count`,
      [drained.map(([kind]) => kind), drained.map(([, count]) => count)],
    )
  } catch (error) {
    restoreAnonymousRejections(drained)
    log().warn({ reason: reasonOf(error).slice(0, 300) }, 'refused strangers are not kept yet')
  }
}

/** Persists the counts and the repetitions of rejections every minute, and once more when it is stopped. */
export function startCounting(): { stop(): Promise<void> } {
  const persist = async (isAll: boolean) => {
    await Promise.all([persistAnonymousRejections(), recordRepetitions({ isAll })])
  }
  const timer = setInterval(() => void persist(false), MINUTE)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      return persist(true)
    },
  }
}
