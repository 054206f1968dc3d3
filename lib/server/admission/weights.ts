import type { Target } from '../target.ts'

/**
 * Requests that a page of an unknown client counts as: rendering it takes the processor for as long as several calls of
 * the API.
 */
const PAGE_WEIGHT = 3

/**
 * Requests that other calls without a caller count as, by the beginning of their path, where they are expensive. The
 * weights are multiples of the processor time of a call with an unknown key, measured by
 * `npm run floods -- --weights`. Password checks have a limit of their own.
 */
const WEIGHTS: readonly (readonly [path: string, weight: number])[] = [
  ['/auth/v1/links', 10],
  ['/auth/v1/recoveries', 3],
  ['/auth/v1/leaked-keys', 2],
  ['/auth/sign-on/', 3],
  ['/api/', 3],
]

/** Returns how many requests a call of an unknown client counts as. */
export function weightOf({ area, path }: Pick<Target, 'area' | 'path'>): number {
  if (area === 'page') return PAGE_WEIGHT
  return WEIGHTS.find(([start]) => path.startsWith(start))?.[1] ?? 1
}
