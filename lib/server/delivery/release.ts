/**
 * Runs in the browser, at the head of a page whose scripts are held (`held-scripts.ts`): lets them go when the page has been
 * painted with all of its content. They go earlier where that takes long, or nobody would notice: 300 ms after the first paint
 * while content is still on its way, at the first press, in a tab that nobody sees, and after 3 s in any case. Until then an
 * empty frame that is not closed keeps the page's `load` event, which says as ever that all scripts have run.
 *
 * React shows what arrives within 300 ms of the first paint at the end of these, by the time that it keeps in `$RT`. Where
 * that is no number, it shows it in the next frame.
 *
 * It is sent as it stands, so that it may use nothing from outside and has no comments within.
 */
export function release(): void {
  const root = document.documentElement
  const frame = document.createElement('iframe')
  frame.hidden = true
  root.append(frame)
  frame.contentDocument?.open()
  Object.defineProperty(self, '$RT', { set() {} })
  let isPainted = false
  let isParsed = false
  const go = () => {
    for (const held of document.querySelectorAll<HTMLScriptElement>('script[data-src]')) {
      const script = document.createElement('script')
      script.async = true
      script.nonce = held.nonce
      script.src = held.dataset.src ?? ''
      held.replaceWith(script)
    }
    frame.remove()
  }
  const look = () => {
    if (document.hidden) go()
    else if (isPainted && isParsed) requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(go)))
  }
  new PerformanceObserver(() => {
    isPainted = true
    look()
    setTimeout(go, 300)
  }).observe({ type: 'paint', buffered: true })
  document.addEventListener('DOMContentLoaded', () => {
    if (isParsed || !frame.isConnected) go()
    isParsed = true
    look()
  })
  for (const event of ['visibilitychange', 'pointerdown', 'keydown'])
    document.addEventListener(event, go, true)
  setTimeout(go, 3000)
}
