import { isForPage } from '#components/ui/keys.ts'

/** What a press of a key asks for; `more`: it is the first half of two. */
export type Wish = 'find' | 'keys' | 'next-row' | 'row-before' | 'more' | { to: string }

/** A second key counts as one with `g` for so long, in milliseconds. */
const TOGETHER_MS = 1200
const AFTER_G: Record<string, Wish> = { h: { to: '/' }, a: { to: '/assets' }, i: { to: '/invoices' } }
const ALONE: Record<string, Wish> = { g: 'more', '?': 'keys', j: 'next-row', k: 'row-before' }

/** Reads one press after the other. */
export function keyReader(): (event: KeyboardEvent) => Wish | undefined {
  let pressedG = Number.NEGATIVE_INFINITY
  return (event) => {
    if (isOpening(event)) return 'find'
    if (!isForPage(event)) return undefined
    const isAfterG = event.timeStamp - pressedG < TOGETHER_MS
    pressedG = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    return (isAfterG ? AFTER_G[event.key] : undefined) ?? ALONE[event.key]
  }
}

/** Ctrl K, or Cmd K: also where something is being typed. */
function isOpening({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey
}
