/** As a field's `ref`: what opens with it can be typed into at once. */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus()
}
