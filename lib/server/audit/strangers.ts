import 'server-only'
import { database } from '#lib/platform/db/client.ts'
import { returnStrangers, takeStrangers } from '#lib/platform/history/requests.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'

const MINUTE = 60_000

/** Adds what this process counted to the minute, beside what others did. What the database does not take stays counted. */
export async function keepStrangers(): Promise<void> {
  const taken = takeStrangers()
  if (taken.length === 0) return
  try {
    await database().jobs.query(
      `INSERT INTO refused_strangers AS s (minute, kind, count)
       SELECT date_trunc('minute', now()), t.kind, t.count FROM unnest($1::text[], $2::bigint[]) AS t (kind, count)
       ON CONFLICT (minute, kind) DO UPDATE SET count = s.count + excluded.count`,
      [taken.map(([kind]) => kind), taken.map(([, count]) => count)],
    )
  } catch (error) {
    returnStrangers(taken)
    log().warn({ reason: reasonOf(error).slice(0, 300) }, 'refused strangers are not kept yet')
  }
}

/** Does so each minute, and once more when it is stopped. */
export function startCounting(): { stop(): Promise<void> } {
  const timer = setInterval(keepStrangers, MINUTE)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      return keepStrangers()
    },
  }
}
