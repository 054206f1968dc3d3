import { listScreen } from '#components/lists/filters/list-screen.ts'
import { listRenewals } from '#lib/costs/client.ts'
import type { listRenewals as contract } from '#lib/costs/renewals/contract.ts'
import type { Input } from '#lib/platform/api/contract.ts'

/** Decoded query of `listRenewals`, which the screen shows. */
export type View = Input<typeof contract>['query']

export const RENEWALS = '/assets/renewals' as const

export const { hrefOf, isFiltered } = listScreen<View>(RENEWALS, listRenewals.search)

/** Returns the midnight in UTC at which a month such as `2026-12` begins. */
export function beginOf(month: string): number {
  return Date.parse(`${month}-01`)
}
