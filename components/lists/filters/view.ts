/**
 * View of a list screen: the decoded query of its API call. The screen's address has the same query string, so that
 * each view has a URL. Each list has the parts that its contract names.
 */
export type ListView = {
  filter?: Partial<Record<string, string[]>> | undefined
  search?: string | undefined
  /** Epoch milliseconds, both inclusive. */
  minCreationTime?: number | undefined
  maxCreationTime?: number | undefined
  orderBy?: string | undefined
  maxResults?: number | undefined
  pageToken?: string | undefined
}

/** Keys of a view's filter. */
export type FilterKey<View extends ListView> = keyof NonNullable<View['filter']> & string

/** Returns the values of one key of a view's filter. */
export function valuesOf<View extends ListView>({ filter }: View, key: FilterKey<View>): readonly string[] {
  return filter?.[key] ?? []
}

/** Returns a changed view, starting on the first page, because a page token is valid only for its filters and order. */
export function changed<View extends ListView>(view: View, change: Partial<View>): View {
  const { pageToken: _, ...rest } = view
  return { ...rest, ...change } as View
}

/** Returns the view with these values of one filter key; an empty list removes the key. */
export function withValues<View extends ListView>(
  view: View,
  key: FilterKey<View>,
  values: readonly string[],
): View {
  const { [key]: _, ...others }: NonNullable<ListView['filter']> = view.filter ?? {}
  const filter = values.length > 0 ? { ...others, [key]: [...values] } : others
  return changed<ListView>(view, { filter: Object.keys(filter).length > 0 ? filter : undefined }) as View
}

/** Returns the view with a value of one key added or, if present, removed. */
export function toggled<View extends ListView>(view: View, key: FilterKey<View>, value: string): View {
  const values = valuesOf(view, key)
  const without = values.filter((other) => other !== value)
  return withValues(view, key, without.length < values.length ? without : [...values, value])
}

/** Returns the view without filters, in its order. */
export function cleared<View extends ListView>({ maxResults, orderBy }: View): View {
  return { maxResults, orderBy } as View
}

/** Returns the part of a view that selects rows and sums, without their order and the page. */
export function selectionOf<View extends ListView>(
  view: View,
): Omit<View, 'orderBy' | 'pageToken' | 'maxResults'> {
  const { orderBy: _, pageToken: __, maxResults: ___, ...selection } = view
  return selection
}

/** Active filter, and the view without it. */
export type ActiveFilter<View> = { text: string; without: View }

/** Returns the active values of one key, each with its name. */
export function activeValues<View extends ListView>(
  view: View,
  key: FilterKey<View>,
  nameOf: (value: string) => string,
): ActiveFilter<View>[] {
  return [...new Set(valuesOf(view, key))].map((value) => ({
    text: nameOf(value),
    without: toggled(view, key, value),
  }))
}
