import type { Instrumentation } from 'next'

/** Loaded with the start: what failed has to be noted before its answer has ended. */
const ours = () =>
  Promise.all([import('#lib/platform/runtime/log.ts'), import('#lib/platform/runtime/log.ts')])

/** Next calls this once as it starts. Under `next dev` and plain `next start` it opens the database. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    // Node loads the files itself: bundling them would pull the database's binaries into the build.
    const load = (path: string) =>
      import(/* turbopackIgnore: true */ new URL(path, `file://${process.cwd()}/`).href)
    const { checkSettings } = await load('lib/server/registry.ts')
    checkSettings()
    const { startDatabase } = await load('lib/platform/db/start.ts')
    await startDatabase()
    const { registerLeaks } = await load('lib/server/leaks.ts')
    registerLeaks()
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
