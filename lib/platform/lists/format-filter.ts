// Separate from the parser, which needs zod: the browser only writes filters.

/** Allowed values by key; an absent key filters nothing. */
export type Filter<Key extends string> = Partial<Record<Key, string[]>>

/** Returns a filter as text, key by key: `platform:a|b|status:OPEN`. */
export function formatFilter(filter: Filter<string>): string {
  return Object.entries(filter)
    .filter(([, values]) => values?.length)
    .map(([key, values]) => `${key}:${values?.join('|')}`)
    .join('|')
}

/** Returns values as one text that `listText` parses: `IN-1|IN-2`. */
export function formatList(values: readonly string[]): string {
  return values.map((value) => value.replace(/[%|]/g, encodeURIComponent)).join('|')
}
