import { NO_PART } from '#lib/workspace/views/rules.ts'

/** Returns the present view of a screen from its address, without the page. */
export function currentViewSearch(search: URLSearchParams | { toString(): string }): string {
  const parts = new URLSearchParams(search.toString())
  for (const name of NO_PART) parts.delete(name)
  return parts.toString()
}
