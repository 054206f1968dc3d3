import type { Input } from '#lib/api/contract.ts'
import type { readStatement as contract } from '#lib/statements/contract.ts'
import { readStatement } from '#lib/statements/queries.ts'

/** What the screen shows: the decoded query of `readStatement`. Its address is that call's query string. */
export type View = Input<typeof contract>['query']
export type FilterKey = keyof NonNullable<View['filter']>

/** The screen's address. */
export function hrefOf(view: View): string {
  const search = readStatement.search(view)
  return search ? `/invoices/statement?${search}` : '/invoices/statement'
}

/** Whether both are of the same items, however their filters are written. */
export function isSame(one: View, other: View): boolean {
  const keys = Object.keys({ ...one.filter, ...other.filter }) as FilterKey[]
  const text = (view: View, key: FilterKey) => [...new Set(valuesOf(view, key))].sort().join('|')
  return keys.every((key) => text(one, key) === text(other, key))
}

/** The view of these values of a filter's key only, from its first page on; none takes the key away. */
export function withValues(view: View, key: FilterKey, values: readonly string[]): View {
  const { pageToken: _, filter: { [key]: __, ...others } = {}, ...rest } = view
  const filter = values.length > 0 ? { ...others, [key]: [...values] } : others
  return { ...rest, filter: Object.keys(filter).length > 0 ? filter : undefined }
}

/** The view with a value of one key put in, or taken out where it was in. */
export function toggled(view: View, key: FilterKey, value: string): View {
  const values = valuesOf(view, key)
  const without = values.filter((other) => other !== value)
  return withValues(view, key, without.length < values.length ? without : [...values, value])
}

export function valuesOf(view: View, key: FilterKey): readonly string[] {
  return view.filter?.[key] ?? []
}
