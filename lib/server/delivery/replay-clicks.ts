/**
 * Runs in the browser, in the head of a page with deferred scripts (`deferred-scripts.ts`): replays presses of buttons
 * that happened before their listener existed. That is before React listens, or in a part of the page whose script is
 * still loading: React then stops the event at the document. Each press is replayed once, those of one part in their
 * order. Presses without a listener for ten seconds are dropped, and so are those of buttons that were disabled or
 * removed since. Submit buttons are left to their form, and openers of popovers to the browser.
 *
 * React marks the document, once it listens, with a property that begins with `_react`. The source of the function is
 * sent unchanged, so it must not use outer variables or contain comments.
 */
export function replayClicks(): void {
  type Press = { button: HTMLButtonElement; detail: number; until: number }
  let pressed: Press[] = []
  let isTrying = false
  const isListening = () => Object.keys(document).some((key) => key.startsWith('_react'))
  const hearing = (button: HTMLButtonElement, event: Event) => {
    let isHeard = false
    const hear = (heard: Event) => {
      if (heard === event) isHeard = isListening()
    }
    button.addEventListener('click', hear, true)
    return () => {
      button.removeEventListener('click', hear, true)
      return isHeard
    }
  }
  const press = ({ button, detail }: Press) => {
    const event = new MouseEvent('click', { bubbles: true, cancelable: true, composed: true, detail })
    const isHeard = hearing(button, event)
    button.dispatchEvent(event)
    return isHeard()
  }
  const again = () => {
    pressed = pressed.filter(
      ({ button, until }) => button.isConnected && !button.disabled && Date.now() < until,
    )
    const done = isListening() ? pressed.find(press) : undefined
    pressed = pressed.filter((one) => one !== done)
    isTrying = pressed.length > 0
    if (isTrying) setTimeout(again, done ? 0 : 50)
  }
  const capture = (event: MouseEvent) => {
    const button =
      event.isTrusted &&
      (event.target as Element).closest<HTMLButtonElement>('button[type=button]:not([popovertarget])')
    if (!button) return
    const isHeard = hearing(button, event)
    setTimeout(() => {
      if (isHeard()) return
      pressed.push({ button, detail: event.detail, until: Date.now() + 10_000 })
      if (!isTrying) again()
    })
  }
  document.addEventListener('click', capture, true)
}
