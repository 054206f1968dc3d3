import { listScreen } from '#components/filters/list-screen.ts'
import type { Input } from '#lib/api/contract.ts'
import type { listSessions as contract } from '#lib/sessions/contract.ts'
import { listSessions } from '#lib/sessions/queries.ts'

/** What the screen shows: the decoded query of `listSessions`. */
export type View = Input<typeof contract>['query']

export const { hrefOf, pagesOf } = listScreen<View>('/sessions', listSessions.search)
