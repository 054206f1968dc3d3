import { listScreen } from '#components/lists/filters/list-screen.ts'
import { listSessions } from '#lib/identity/client.ts'
import type { listSessions as contract } from '#lib/identity/sessions/contract.ts'
import type { Input } from '#lib/platform/api/contract.ts'

/** What the screen shows: the decoded query of `listSessions`. */
export type View = Input<typeof contract>['query']

export const { hrefOf, pagesOf } = listScreen<View>('/sessions', listSessions.search)
