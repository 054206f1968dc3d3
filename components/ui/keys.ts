import { getItem, setItem } from './local-storage.ts'

// Single-letter shortcuts. Users of speech input, and those who type by accident, can turn them off (WCAG 2.1.4).

const NAME = 'keys-of-one-letter'

/** Returns whether single-letter shortcuts are on. */
export function areKeysOn(): boolean {
  return getItem(NAME) !== 'off'
}

/** Turns single-letter shortcuts on or off in this browser, from the next key press on. */
export function setKeysEnabled(areOn: boolean): void {
  setItem(NAME, areOn ? 'on' : 'off')
}

/**
 * Returns whether a key press is a shortcut of the page: not typed into a field, not part of a chord, without an open
 * dialog.
 */
export function isForPage(event: KeyboardEvent): boolean {
  const isChord = event.ctrlKey || event.metaKey || event.altKey
  return !isChord && !isTyping(event.target) && !document.querySelector('dialog[open]') && areKeysOn()
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}
