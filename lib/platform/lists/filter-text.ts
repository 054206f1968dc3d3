// Apart from its reader, which needs zod: the browser only writes filters.

/** For each key the values that it may have; a key that is absent filters nothing. */
export type Filter<Key extends string> = Partial<Record<Key, string[]>>

/** Writes a filter as text, one key after the other: `platform:a|b|status:OPEN`. */
export function formatFilter(filter: Filter<string>): string {
  return Object.entries(filter)
    .filter(([, values]) => values?.length)
    .map(([key, values]) => `${key}:${values?.join('|')}`)
    .join('|')
}

/** Writes values as one text, as `listText` reads it: `IN-1|IN-2`. */
export function formatList(values: readonly string[]): string {
  return values.map((value) => value.replace(/[%|]/g, encodeURIComponent)).join('|')
}
