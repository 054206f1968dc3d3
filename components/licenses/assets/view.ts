import { listScreen } from '#components/lists/filters/list-screen.ts'
import type { listAssets as contract } from '#lib/licenses/assets/contract.ts'
import { listAssets } from '#lib/licenses/client.ts'
import type { Input } from '#lib/platform/api/contract.ts'

/** Decoded query of `listAssets`, which the screen shows; the screen always asks for the full view. */
export type View = Omit<Input<typeof contract>['query'], 'view'>

export const { hrefOf, pagesOf, isFiltered } = listScreen<View>('/assets', listAssets.search)
