// Next keeps a page that was fetched ahead for half a minute (next.config.mjs), and would show it again and again meanwhile.

/** So long it keeps it, in milliseconds. */
const CACHE_MS = 30_000
/** What is no older was fetched for this very click. In milliseconds. */
const FRESH = 2_000

const fetched = new Map<string, number>()

/** Notes that a page was asked for ahead, unless an earlier one is kept. @param href of the page, with its query string */
export function noteFetched(href: string, now = Date.now()): void {
  if (now - (fetched.get(href) ?? Number.NEGATIVE_INFINITY) > CACHE_MS) fetched.set(href, now)
}

/** Notes that Next keeps a page which was loaded as a whole: of that too, it shows what was there then. */
export function noteLoaded(href: string, now = Date.now()): void {
  fetched.set(href, now - FRESH - 1)
}

/** Whether what Next shows of a page may be older than the click that leads to it. */
export function isOld(href: string, now = Date.now()): boolean {
  const age = now - (fetched.get(href) ?? Number.NEGATIVE_INFINITY)
  return age > FRESH && age <= CACHE_MS
}

/** Next has dropped all that it had kept: it does so whenever a page is asked for anew. */
export function forgetFetched(): void {
  fetched.clear()
}
