/** Focuses a field on mount, as its `ref`. */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus()
}
