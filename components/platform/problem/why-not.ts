import { Problem } from '#lib/platform/api/problem.ts'

/** Why something was not done, and where the answer says so, when to try again. */
export function whyNot(error: Error): string {
  if (!(error instanceof Problem)) return 'No answer. Check your connection and try again.'
  const { retryAfter } = error.more
  return retryAfter === undefined ? error.message : `${error.message} Try again in ${retryAfter} s.`
}
