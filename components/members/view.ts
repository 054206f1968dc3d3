import { listScreen } from '#components/filters/list-screen.ts'
import type { Input } from '#lib/api/contract.ts'
import type { listMembers as contract } from '#lib/members/contract.ts'
import { listMembers } from '#lib/members/queries.ts'

/** What the screen shows: the decoded query of `listMembers`. */
export type View = Input<typeof contract>['query']

export const { hrefOf, pagesOf, isFiltered } = listScreen<View>('/members', listMembers.search)
