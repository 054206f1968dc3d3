import { errorCode, Problem } from '#lib/api/problem.ts'

/**
 * Turns a unique index's refusal into what it means; the look before would miss who comes at the same
 * moment.
 * @param meanings by the index's name
 */
export function orDuplicate<T>(done: Promise<T>, meanings: Record<string, string>): Promise<T> {
  return done.catch((error: unknown) => {
    const meaning = errorCode(error) === '23505' ? meanings[constraintOf(error) ?? ''] : undefined
    throw meaning === undefined ? error : new Problem('invalid_request', meaning)
  })
}

function constraintOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('constraint' in at && typeof at.constraint === 'string') return at.constraint
  return undefined
}
