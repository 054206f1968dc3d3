import { listScreen } from '#components/lists/filters/list-screen.ts'
import { type ActiveFilter, activeValues } from '#components/lists/filters/view.ts'
import { whoText } from '#components/platform/values/who.ts'
import type { AuditEvent, listAuditEvents as contract } from '#lib/identity/audit-events/contract.ts'
import { listAuditEvents } from '#lib/identity/client.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { actionText } from './labels.ts'
import type { Names } from './sentences.ts'

/** Decoded query of `listAuditEvents`, which the screen shows. */
export type View = Input<typeof contract>['query']

const screen = listScreen<View>('/activity/events', listAuditEvents.search)
export const { hrefOf, pagesOf, isFiltered, rangeOf, withRange } = screen

/**
 * Returns the active filters without a control, each with the view without it. Persons are shown by name where `rows`
 * contain it.
 */
export function activeFilters(
  view: View,
  rows: readonly AuditEvent[],
  names: Names = {},
): ActiveFilter<View>[] {
  const nameOf = (id: string) => {
    const actor = rows.find((row) => row.actor.id === id)?.actor
    return actor ? whoText(actor) : id
  }
  return [
    ...activeValues(view, 'actor', nameOf),
    ...activeValues(view, 'asset', (id) => names[id] ?? id),
    ...activeValues(view, 'subject', (id) => id),
    ...activeValues(view, 'action', actionText),
  ]
}
