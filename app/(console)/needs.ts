import 'server-only'
import { cache } from 'react'
import type { listNeeds as contract } from '#lib/notifications/needs/contract.ts'
import { listNeeds } from '#lib/notifications/needs/operations.ts'
import type { Output } from '#lib/platform/api/contract.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { currentCaller } from './caller.ts'
import { requestMeta } from './request-meta.ts'

/** Returns the lines that need the caller of this request: cached, so that the frame and the page share one read. */
export const currentNeeds = cache(async (): Promise<Output<typeof contract> | undefined> => {
  const caller = await currentCaller()
  if (!caller) return undefined
  return (await listNeeds(caller, { params: {}, query: {}, body: undefined }, await requestMeta())).body
})

/** Returns the number of lines that need the caller; undefined after an error, which must not fail a page. */
export async function currentNeedCount(): Promise<number | undefined> {
  return currentNeeds().then(
    (needs) => needs?.count,
    (error: Error) => {
      log().warn({ reason: reasonOf(error).slice(0, 300) }, 'needs not counted')
      return undefined
    },
  )
}
