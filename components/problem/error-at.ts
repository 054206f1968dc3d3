import { Problem } from '#lib/api/problem.ts'

/** What is wrong at a place of the body that was sent; undefined where nothing is. */
export function errorAt(error: Error | null, pointer: string): string | undefined {
  if (!(error instanceof Problem)) return undefined
  return error.more.errors?.find((one) => one.pointer?.startsWith(pointer))?.detail
}
