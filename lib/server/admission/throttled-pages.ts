import { buckets } from '#lib/platform/caller/limits/buckets.ts'
import { session } from '#lib/platform/caller/session-cookie.ts'
import { traceThrottled } from '#lib/platform/history/requests.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { duringVisit } from '#lib/platform/runtime/visit.ts'

type Asked = { requestId: string; address: string; agent: string | undefined }

/**
 * Writes down that a session asks for too many pages, once a minute: to find out whose it is takes a look-up, and more of
 * them would be what the limit is there against. Nobody waits for it.
 * @param digest of the session
 */
export function tracesThrottledPages() {
  const minute = buckets(1, 1)
  return (digest: string, headers: { get(name: string): string | null }, asked: Asked): void => {
    if (minute.take(digest).wait > 0) return
    const trace = async () => {
      const caller = await session(headers)
      if (caller) await traceThrottled(caller, 'pages')
    }
    duringVisit(asked, trace).catch((error: unknown) => {
      const { requestId } = asked
      log().warn({ requestId, reason: reasonOf(error) }, 'a refusal is not in the history')
    })
  }
}
