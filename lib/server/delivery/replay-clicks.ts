/**
 * Runs in the browser, at the head of a page whose scripts are held (`held-scripts.ts`): presses those buttons again that were
 * pressed before anything heard them. That is before React listens, or in a part of the page whose script is still on its way:
 * React then stops the event at the document. Each press is done once, those of one part in their order; what nothing has heard for
 * ten seconds is dropped, and so is the press of a button that was disabled or taken away meanwhile. Buttons that send a form
 * are left to their form.
 *
 * React's mark on the document, from the moment on that it listens, begins with `_react`. It is sent as it stands, so that it
 * may use nothing from outside and has no comments within.
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
      event.isTrusted && (event.target as Element).closest<HTMLButtonElement>('button[type=button]')
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
