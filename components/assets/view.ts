import { listScreen } from '#components/filters/list-screen.ts'
import type { Input } from '#lib/api/contract.ts'
import type { listAssets as contract } from '#lib/assets/contract.ts'
import { listAssets } from '#lib/assets/queries.ts'

/** What the screen shows: the decoded query of `listAssets`, which the screen always asks for in full. */
export type View = Omit<Input<typeof contract>['query'], 'view'>

export const { hrefOf, pagesOf, isFiltered } = listScreen<View>('/assets', listAssets.search)
