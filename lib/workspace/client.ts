import { queriesOf } from '#lib/platform/api/client.ts'
import type * as columns from './list-columns/contract.ts'
import type * as matches from './matches/contract.ts'
import { columnRoutes, matchRoutes, viewRoutes } from './routes.ts'
import type * as views from './views/contract.ts'

export const { listViews, createView, changeView, removeView } = queriesOf<typeof views>(viewRoutes)

export const { setListColumns } = queriesOf<typeof columns>(columnRoutes)

export const { listMatches } = queriesOf<typeof matches>(matchRoutes)
