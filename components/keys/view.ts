import { listScreen } from '#components/filters/list-screen.ts'
import type { Input } from '#lib/api/contract.ts'
import type { listKeys as contract } from '#lib/keys/contract.ts'
import { listKeys } from '#lib/keys/queries.ts'

/** What the screen shows: the decoded query of `listKeys`. */
export type View = Input<typeof contract>['query']

export const { hrefOf, pagesOf } = listScreen<View>('/keys', listKeys.search)
