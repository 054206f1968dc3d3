// Next caches a prefetched page for half a minute (next.config.mjs), and shows it without a new request in that time.

/** Lifetime of Next's cache, in milliseconds. */
const CACHE_MS = 30_000
/** Age in milliseconds up to which a page was prefetched for the present click. */
const FRESH_MS = 2_000

/** Time of each fetch, and whether its page was visited already, by address. */
const fetched = new Map<string, { at: number; wasVisited: boolean }>()

/** Records a prefetch, unless an earlier one is still cached. @param href of the page, with its query string */
export function noteFetched(href: string, now = Date.now()): void {
  if (now - (fetched.get(href)?.at ?? Number.NEGATIVE_INFINITY) > CACHE_MS)
    fetched.set(href, { at: now, wasVisited: false })
}

/** Records that Next caches a page after a full load; it would show that page's old content as well. */
export function noteLoaded(href: string, now = Date.now()): void {
  fetched.set(href, { at: now, wasVisited: true })
}

/** Records a visit of a page: a prefetch is for one click, and the page may have changed by the next one. */
export function noteVisited(href: string): void {
  const page = fetched.get(href)
  if (page) page.wasVisited = true
}

/** Returns whether the page that Next shows may be older than the click on its link. */
export function isOld(href: string, now = Date.now()): boolean {
  const page = fetched.get(href)
  if (!page) return false
  const age = now - page.at
  return age <= CACHE_MS && (page.wasVisited || age > FRESH_MS)
}

/** Records that Next has dropped its cache, as it does on every refresh. */
export function forgetFetched(): void {
  fetched.clear()
}
