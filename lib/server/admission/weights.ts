import type { Target } from '../target.ts'

/**
 * Requests that calls without a caller count as, by the beginning of their path, where they are expensive: multiples of
 * the processor time of a call with an unknown key, measured by `npm run floods -- --weights` on 25 November 2026.
 * Password checks have a limit of their own.
 */
const WEIGHTS: readonly (readonly [path: string, weight: number])[] = [
  ['/billing/v1/openapi.json', 10],
  ['/auth/v1/links', 2],
  ['/auth/v1/recoveries', 2],
  ['/auth/v1/leaked-keys', 2],
  ['/auth/sign-on/', 3],
  ['/api/', 3],
  // These pages are rendered. That of the sign-in and the 404 are prepared.
  ['/sign-in/', 8],
  ['/reset/', 8],
  ['/invitation/', 8],
  ['/unsubscribe', 8],
  ['/sign-in', 2],
]

/** Returns how many requests a call of an unknown client counts as. */
export function weightOf({ path }: Pick<Target, 'path'>): number {
  return WEIGHTS.find(([start]) => path.startsWith(start))?.[1] ?? 1
}
