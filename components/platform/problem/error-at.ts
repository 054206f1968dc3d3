import { Problem } from '#lib/platform/api/problem.ts'

/**
 * What is wrong at one place of what was sent; undefined where nothing is.
 * @param pointer into the body, or to a part of it: `/roles` also finds `/roles/2`
 */
export function errorAt(error: Error | null, pointer: string): string | undefined {
  if (!(error instanceof Problem)) return undefined
  const isThere = (place = '') => place === pointer || place.startsWith(`${pointer}/`)
  return error.more.errors?.find((one) => isThere(one.pointer))?.detail
}
