import type { Instrumentation } from 'next'

/** Loaded at the start, because an error has to be logged before its response ends. */
const loadLog = () => import('#lib/platform/runtime/log.ts')

/** Opens the database under `next dev` and plain `next start`. Next calls this once as it starts. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    // Node loads the files itself: bundling them would pull the database's binaries into the build.
    const load = (path: string) =>
      import(/* turbopackIgnore: true */ new URL(path, `file://${process.cwd()}/`).href)
    const { checkSettings } = await load('lib/server/check-settings.ts')
    checkSettings()
    const { startDatabase } = await load('lib/platform/db/start.ts')
    const database = await startDatabase()
    if (process.env.NEXT_MANUAL_SIG_HANDLE) {
      // `npm run dev`: Next would end the process immediately, and leave the embedded server behind.
      const { heedSignals } = await load('lib/server/workers/lifetime.ts')
      heedSignals(() => database.stop().then(() => process.exit(0)))
    }
    const { registerLeaks } = await load('lib/server/leaks.ts')
    registerLeaks()
    await loadLog()
  }
}

/** Logs an error of a page that Next reports; the request's id connects a user's report with the reason. */
export const onRequestError: Instrumentation.onRequestError = async (error, request) => {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { log, noteFailure } = await loadLog()
    noteFailure()
    log().error({ requestId: request.headers['request-id'], err: error }, 'request failed')
  }
}
