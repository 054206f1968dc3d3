import { ProblemError } from '#lib/platform/api/problem-base.ts'

/** Returns the reason of a failed action and, where the answer contains it, when to try again. */
export function whyNot(error: Error): string {
  if (!(error instanceof ProblemError)) return 'No answer. Check your connection and try again.'
  const { retryAfter } = error.more
  return retryAfter === undefined ? error.message : `${error.message} Try again in ${retryAfter} s.`
}

/**
 * Returns the error at one place of the request body; undefined where there is none.
 * @param pointer into the body, or to a part of it: `/roles` also finds `/roles/2`
 */
export function errorAt(error: Error | null, pointer: string): string | undefined {
  if (!(error instanceof ProblemError)) return undefined
  const isThere = (path = '') => path === pointer || path.startsWith(`${pointer}/`)
  return error.more.errors?.find((one) => isThere(one.pointer))?.detail
}
