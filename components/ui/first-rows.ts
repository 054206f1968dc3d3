import { useDeferredValue } from 'react'

/** Number of rows per page by default. */
const INITIAL_ROWS = 50

/**
 * Returns the first rows of a long list, and all of them after the first render. So the page's HTML contains only the
 * first rows: the browser gets all as data anyway, and renders the others without blocking the keyboard.
 */
export function useFirstRows<Row>(rows: readonly Row[]): readonly Row[] {
  const isHydrated = useDeferredValue(true, false)
  return isHydrated ? rows : rows.slice(0, INITIAL_ROWS)
}
