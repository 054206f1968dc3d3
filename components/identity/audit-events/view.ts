import { listScreen } from '#components/lists/filters/list-screen.ts'
import { type ActiveFilter, activeValues } from '#components/lists/filters/view.ts'
import type { listAuditEvents as contract } from '#lib/identity/audit-events/contract.ts'
import { listAuditEvents } from '#lib/identity/client.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { actionText } from './labels.ts'

/** Decoded query of `listAuditEvents`, which the screen shows. */
export type View = Input<typeof contract>['query']

const screen = listScreen<View>('/activity/events', listAuditEvents.search)
export const { hrefOf, pagesOf, isFiltered, rangeOf, withRange } = screen

/** Returns the active filters without a control, each with the view without it. */
export function activeFilters(view: View): ActiveFilter<View>[] {
  return [...activeValues(view, 'subject', (id) => id), ...activeValues(view, 'action', actionText)]
}
