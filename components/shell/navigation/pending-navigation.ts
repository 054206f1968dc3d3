/**
 * Where a navigation leads, as an address of this host; `isBack` where it goes to a page of before, or on from there; `at` is
 * when it began, in milliseconds of the page's own clock.
 */
export type PendingNavigation = { href: string; isBack: boolean; at: number }

let notify: (navigation: PendingNavigation) => void = () => {}

/** Tells that a navigation begins. */
export function startNavigation(navigation: PendingNavigation): void {
  notify(navigation)
}

/** From now on each navigation is told to `listener`, while it begins. @returns what ends that */
export function onNavigationStart(listener: typeof notify): () => void {
  notify = listener
  return () => {
    if (notify === listener) notify = () => {}
  }
}
