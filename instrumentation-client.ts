import { begin } from '#components/going/begun.ts'

/** Called by Next at the begin of each navigation, in the same transition: a link, a router's push, the browser's Back. */
export function onRouterTransitionStart(url: string, how: 'push' | 'replace' | 'traverse'): void {
  begin({ path: new URL(url, location.href).pathname, isBack: how === 'traverse', at: performance.now() })
}
