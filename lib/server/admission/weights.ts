import type { Target } from '../target.ts'

/**
 * Requests that calls without a caller count as, by the beginning of their path, where they are expensive: multiples of
 * the processor time of a call with an unknown key, which `npm run floods -- --weights` measures. The pages of the
 * sign-in and of unknown paths are prepared and cost no more than such a call; the pages here are rendered. Password
 * checks have a limit of their own.
 */
const WEIGHTS: readonly (readonly [path: string, weight: number])[] = [
  ['/auth/v1/links', 10],
  ['/auth/v1/recoveries', 3],
  ['/auth/v1/leaked-keys', 2],
  ['/auth/sign-on/', 3],
  ['/api/unsubscribe', 3],
  ['/sign-in/', 3],
  ['/reset/', 3],
  ['/invitation/', 3],
  ['/unsubscribe', 3],
]

/** Returns how many requests a call of an unknown client counts as. */
export function weightOf({ path }: Pick<Target, 'path'>): number {
  return WEIGHTS.find(([start]) => path.startsWith(start))?.[1] ?? 1
}
