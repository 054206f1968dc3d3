import 'server-only'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import type { Views } from '#lib/workspace/views/contract.ts'
import { listViews } from '#lib/workspace/views/operations.ts'
import { requestMeta } from './request-meta.ts'

/** Returns the caller's saved views for the frame; none where they could not be read, which must not fail a page. */
export async function viewsOf(caller: Caller): Promise<Views> {
  return listViews(caller, { params: {}, query: {}, body: undefined }, await requestMeta()).then(
    ({ body }) => body,
    (error: Error) => {
      log().warn({ reason: reasonOf(error).slice(0, 300) }, 'views not read')
      return { views: [], mayShare: false }
    },
  )
}
