import { getItem, setItem } from './local-storage.ts'

// Keys of one letter. Whoever speaks to the computer, or types by accident, can turn them off (WCAG 2.1.4).

const NAME = 'keys-of-one-letter'

/** Whether the console listens to keys of one letter. */
export function areKeysOn(): boolean {
  return getItem(NAME) !== 'off'
}

/** From the next key on, in this browser. */
export function setKeysEnabled(areOn: boolean): void {
  setItem(NAME, areOn ? 'on' : 'off')
}

/** Whether a press of a key is meant for the page: not typed into a field, no part of a chord, no dialog in front. */
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
