import { startNavigation } from '#components/shell/navigation/pending-navigation.ts'

// Next runs this before it sets anything up in the browser. React and the router are four fifths of that work, and Next
// does all of it in one task, during which a page can neither scroll nor paint. Here each is set up in a separate task.
// Timers run in order, and Next waits for a timer after these if a script has to run before it: the list gets an empty
// script. See decision 31.
setTimeout(() => require('react-dom/client'))
setTimeout(() => require('next/link'))

/** List in which `next/script` queues scripts that run before Next: each script's address, or its text. */
const first = self as { __next_s?: [address: string, { children: string }][] }
first.__next_s = [...(first.__next_s ?? []), ['', { children: '' }]]

/**
 * Next calls this at the start of each navigation, in the same transition: a link, a router's push, the browser's Back.
 */
export function onRouterTransitionStart(url: string, how: 'push' | 'replace' | 'traverse'): void {
  const { pathname, search } = new URL(url, location.href)
  startNavigation({ href: pathname + search, isBack: how === 'traverse', at: performance.now() })
}
