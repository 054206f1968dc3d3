import { listScreen } from '#components/lists/filters/list-screen.ts'
import { listKeys } from '#lib/identity/client.ts'
import type { listKeys as contract } from '#lib/identity/keys/contract.ts'
import type { Input } from '#lib/platform/api/contract.ts'

/** What the screen shows: the decoded query of `listKeys`. */
export type View = Input<typeof contract>['query']

export const { hrefOf, pagesOf } = listScreen<View>('/keys', listKeys.search)
