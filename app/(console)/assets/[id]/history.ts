import 'server-only'
import type { listLicenseChanges as contract, LicenseChange } from '#lib/licenses/license-changes/contract.ts'
import { listLicenseChanges } from '#lib/licenses/license-changes/operations.ts'
import type { Output } from '#lib/platform/api/contract.ts'
import type { RequestMeta } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'

/** Returns one page of an asset's changes; a Problem where the page token belongs to another list. */
export async function historyOf(
  caller: Caller,
  assetId: string,
  pageToken: string | undefined,
  meta: RequestMeta,
): Promise<Output<typeof contract> | Problem> {
  const query = { filter: { asset: [assetId] }, pageToken }
  return listLicenseChanges(caller, { params: {}, query, body: undefined }, meta).then(
    ({ body }) => body,
    (error) => {
      if (error instanceof Problem && error.status === 400) return error
      throw error
    },
  )
}

const PAGE = 250
// More steps than the plot has room for: beyond them the line begins later.
const MAX_PAGES = 4

/** Returns the changes of the seats since a time, ours and the vendor's, newest first. */
export async function movedSince(
  caller: Caller,
  assetId: string,
  since: number,
  meta: RequestMeta,
): Promise<LicenseChange[]> {
  const filter = { asset: [assetId], state: ['APPLIED', 'DRIFT', 'RECORDED'] }
  const changes: LicenseChange[] = []
  let pageToken: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { filter, minCreationTime: since, maxResults: PAGE, pageToken }
    const { body } = await listLicenseChanges(caller, { params: {}, query, body: undefined }, meta)
    changes.push(...body.licenseChanges)
    pageToken = body.pageToken
    if (!pageToken) break
  }
  return changes
}
