/**
 * Target of a navigation, as an address of this host; `isBack` for Back and Forward; `at` is its start, in milliseconds
 * of `performance.now()`.
 */
export type PendingNavigation = { href: string; isBack: boolean; at: number }

let notify: (navigation: PendingNavigation) => void = () => {}

/** Notifies the listener of a navigation. */
export function startNavigation(navigation: PendingNavigation): void {
  notify(navigation)
}

/** Calls `listener` at the start of each navigation. @returns the function that unsubscribes */
export function onNavigationStart(listener: typeof notify): () => void {
  notify = listener
  return () => {
    if (notify === listener) notify = () => {}
  }
}
