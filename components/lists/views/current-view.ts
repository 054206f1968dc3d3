import { NO_PART } from '#lib/workspace/views/rules.ts'

/** What a screen shows now, by its address: without the page that it is on. */
export function currentViewSearch(search: URLSearchParams | { toString(): string }): string {
  const parts = new URLSearchParams(search.toString())
  for (const name of NO_PART) parts.delete(name)
  return parts.toString()
}
