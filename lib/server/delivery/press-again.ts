/**
 * Runs in the browser, at the head of a page whose scripts are held (`held-scripts.ts`): presses again, in their order, those
 * buttons that were pressed before anything heard them. That is before React listens, or in a part of the page whose script is
 * still on its way: React then stops the event at the document. It tries for ten seconds, and leaves a button that was disabled
 * or taken away meanwhile. Buttons that send a form, and links, need no script.
 *
 * React's mark on the document, from the moment on that it listens, begins with `_react`. It is sent as it stands, so that it
 * may use nothing from outside and has no comments within.
 */
export function pressAgain(): void {
  const pressed: HTMLButtonElement[] = []
  const isListening = () => Object.keys(document).some((key) => key.startsWith('_react'))
  const hears = (button: HTMLButtonElement, press: () => void) => {
    let isHeard = false
    const hear = () => {
      isHeard = isListening()
    }
    button.addEventListener('click', hear, true)
    press()
    return () => {
      button.removeEventListener('click', hear, true)
      return isHeard
    }
  }
  const again = (tries: number) => {
    const [button] = pressed
    if (!button) return
    const isHeard = isListening() && hears(button, () => button.click())()
    if (isHeard || button.disabled || !button.isConnected || tries === 0) pressed.shift()
    if (isHeard) setTimeout(again, 0, 200)
    else setTimeout(again, 50, Math.max(0, tries - 1))
  }
  const look = ({ target, isTrusted }: Event) => {
    const button = isTrusted && (target as Element).closest<HTMLButtonElement>('button[type=button]')
    if (!button) return
    const isHeard = hears(button, () => {})
    setTimeout(() => {
      if (isHeard() || pressed.push(button) > 1) return
      again(200)
    })
  }
  document.addEventListener('click', look, true)
}
