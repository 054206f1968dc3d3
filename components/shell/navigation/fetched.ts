// Next caches a prefetched page for half a minute (next.config.mjs), and shows it without a new request in that time.

/** Lifetime of Next's cache, in milliseconds. */
const CACHE_MS = 30_000
/** Age in milliseconds up to which a page was prefetched for the present click. */
const FRESH_MS = 2_000

const fetched = new Map<string, number>()

/** Records a prefetch, unless an earlier one is still cached. @param href of the page, with its query string */
export function noteFetched(href: string, now = Date.now()): void {
  if (now - (fetched.get(href) ?? Number.NEGATIVE_INFINITY) > CACHE_MS) fetched.set(href, now)
}

/** Records that Next caches a page after a full load; it would show that page's old content as well. */
export function noteLoaded(href: string, now = Date.now()): void {
  fetched.set(href, now - FRESH_MS - 1)
}

/** Returns whether the page that Next shows may be older than the click on its link. */
export function isOld(href: string, now = Date.now()): boolean {
  const age = now - (fetched.get(href) ?? Number.NEGATIVE_INFINITY)
  return age > FRESH_MS && age <= CACHE_MS
}

/** Records that Next has dropped its cache, as it does on every refresh. */
export function forgetFetched(): void {
  fetched.clear()
}
