/**
 * Runs in the browser, in the head of a page with deferred scripts (`deferred-scripts.ts`): releases the scripts when
 * the page has been painted with all of its content. They are released earlier where that takes long or is not
 * noticeable: 300 ms after the first paint while content is still arriving, at the first press, in a hidden tab, and
 * after 3 s in any case. Each is inserted by its own task, because dozens in one task would block the page. Until then
 * an empty unclosed frame delays the page's `load` event, which still means that all scripts have run.
 *
 * React shows content that arrives within 300 ms of the first paint at the end of these, by the time in `$RT`. Where
 * that is not a number, React shows it in the next frame.
 *
 * If an attacker injects markup into the page, only the scripts that the server deferred run: scripts of the build,
 * with the nonce of this script. The source of the function is sent unchanged, so it must not use outer variables or
 * contain comments.
 */
export function release(): void {
  const nonce = document.currentScript?.nonce
  const frame = document.createElement('iframe')
  const events = ['visibilitychange', 'pointerdown', 'keydown']
  let isPainted = false
  let isParsed = false
  let isReleased = false
  const put = (deferred: HTMLScriptElement) => {
    const script = document.createElement('script')
    script.async = true
    script.nonce = deferred.nonce
    script.src = deferred.dataset.src ?? ''
    deferred.replaceWith(script)
  }
  const go = () => {
    isReleased = true
    for (const deferred of document.querySelectorAll<HTMLScriptElement>(
      'script[data-src^="/_next/static/"]',
    )) {
      if (deferred.nonce === nonce) setTimeout(put, 0, deferred)
    }
    if (!isParsed) return
    setTimeout(() => frame.remove())
    for (const event of events) document.removeEventListener(event, go, true)
  }
  const check = () => {
    if (document.hidden) go()
    else if (isPainted && isParsed) requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(go)))
  }
  for (const event of events) document.addEventListener(event, go, true)
  document.addEventListener('DOMContentLoaded', () => {
    isParsed = true
    if (isReleased) go()
    else check()
  })
  setTimeout(go, 3000)
  try {
    frame.hidden = true
    document.documentElement.append(frame)
    frame.contentDocument?.open()
    Object.defineProperty(self, '$RT', { set() {} })
    new PerformanceObserver((seen) => {
      if (seen.getEntriesByName('first-contentful-paint').length === 0) return
      isPainted = true
      check()
      setTimeout(go, 300)
    }).observe({ type: 'paint', buffered: true })
  } catch {
    go()
  }
}
