/**
 * Runs in the browser, at the head of a page whose scripts are held (`held-scripts.ts`): lets them go when the page has been
 * painted with all of its content. They go earlier where that takes long, or nobody would notice: 300 ms after the first paint
 * while content is still on its way, at the first press, in a tab that nobody sees, and after 3 s in any case. Each is put in by
 * a task of its own, for dozens at once would hold up the page. Until then an empty frame that is not closed keeps the page's
 * `load` event, which says as ever that all scripts have run.
 *
 * React shows what arrives within 300 ms of the first paint at the end of these, by the time that it keeps in `$RT`. Where
 * that is no number, it shows it in the next frame.
 *
 * It runs what the server held and nothing else, should somebody bring markup of their own into the page: scripts of the build, by the
 * nonce that it has itself. It is sent as it stands, so that it may use nothing from outside and has no comments within.
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
