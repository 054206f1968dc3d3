import { begin } from '#components/going/begun.ts'

/** Called by Next at the begin of each navigation, in the same transition: a link, a router's push, the browser's Back. */
export function onRouterTransitionStart(url: string, how: 'push' | 'replace' | 'traverse'): void {
  const { pathname, search } = new URL(url, location.href)
  begin({ href: pathname + search, isBack: how === 'traverse', at: performance.now() })
}
