import type { Instrumentation } from 'next'

/** Next calls this once as it starts. Under `next dev` and plain `next start` it opens the database. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    // Node loads the file itself: bundling it would pull the database's binaries into the build.
    const file = new URL('lib/db/start.ts', `file://${process.cwd()}/`).href
    const { startDatabase } = await import(/* turbopackIgnore: true */ file)
    await startDatabase()
  }
}

/** Next tells of what failed in a page; the request's name leads from a user's report to the reason. */
export const onRequestError: Instrumentation.onRequestError = async (error, request) => {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { log } = await import('#lib/log.ts')
    log().error({ requestId: request.headers['request-id'], err: error }, 'request failed')
  }
}
