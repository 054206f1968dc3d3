import { listScreen } from '#components/lists/filters/list-screen.ts'
import { listMembers } from '#lib/identity/client.ts'
import type { listMembers as contract } from '#lib/identity/members/contract.ts'
import type { Input } from '#lib/platform/api/contract.ts'

/** What the screen shows: the decoded query of `listMembers`. */
export type View = Input<typeof contract>['query']

export const { hrefOf, pagesOf, isFiltered } = listScreen<View>('/members', listMembers.search)
