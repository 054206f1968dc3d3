import { useDeferredValue } from 'react'

/** As many as a list has unless more are asked for. */
const INITIAL_ROWS = 50

/**
 * Of a long list the first rows, and as soon as these are drawn all of them. So the page's HTML has the first ones only:
 * the browser gets all as data anyway, and draws the others while it answers the keyboard.
 */
export function useFirstRows<Row>(rows: readonly Row[]): readonly Row[] {
  const isHydrated = useDeferredValue(true, false)
  return isHydrated ? rows : rows.slice(0, INITIAL_ROWS)
}
