/**
 * Where a navigation leads, as an address of this host; `isBack` where it goes to a page of before, or on from there; `at` is
 * when it began, in milliseconds of the page's own clock.
 */
export type Begun = { href: string; isBack: boolean; at: number }

let tell: (begun: Begun) => void = () => {}

/** Tells that a navigation begins. */
export function begin(begun: Begun): void {
  tell(begun)
}

/** From now on each navigation is told to `listener`, while it begins. @returns what ends that */
export function onBegun(listener: typeof tell): () => void {
  tell = listener
  return () => {
    if (tell === listener) tell = () => {}
  }
}
