import { DrizzleQueryError } from 'drizzle-orm'

const MESSAGE = 'The database did not carry out a statement.'

/**
 * Takes the statement and its values out of the error that it failed with, and gives the same error back: drizzle's
 * message is all of both, and whoever prints errors (Next does so by itself) would show it. The cause says what
 * happened, without the rows and statements that PostgreSQL tells of. The text of the statement, without its values,
 * stays as `statement`, which only our log looks for.
 */
export function withoutValues(error: unknown): unknown {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof DrizzleQueryError && !('statement' in at)) strip(at)
  return error
}

function strip(error: DrizzleQueryError): void {
  Object.defineProperty(error, 'statement', { value: error.query, enumerable: false })
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  error.message = MESSAGE
  error.stack = [`${error.name}: ${MESSAGE}`, ...frames].join('\n')
  for (const name of ['query', 'params']) Reflect.deleteProperty(error, name)
  for (const name of ['detail', 'where', 'internalQuery']) Reflect.deleteProperty(error.cause ?? {}, name)
}
