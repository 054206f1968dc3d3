import type { Instrumentation } from 'next'

/** Loaded with the start: what failed has to be noted before its answer has ended. */
const ours = () => Promise.all([import('#lib/log.ts'), import('#lib/visit.ts')])

/** Next calls this once as it starts. Under `next dev` and plain `next start` it opens the database. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    // Node loads the file itself: bundling it would pull the database's binaries into the build.
    const file = new URL('lib/db/start.ts', `file://${process.cwd()}/`).href
    const { startDatabase } = await import(/* turbopackIgnore: true */ file)
    await startDatabase()
    await ours()
  }
}

/** Next tells of what failed in a page; the request's name leads from a user's report to the reason. */
export const onRequestError: Instrumentation.onRequestError = async (error, request) => {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const [{ log }, { noteFailure }] = await ours()
    noteFailure()
    log().error({ requestId: request.headers['request-id'], err: error }, 'request failed')
  }
}
