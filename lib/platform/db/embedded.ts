import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findCluster } from './embedded/cluster.ts'
import { enterServer, noteOf } from './embedded/start.ts'

/** A running PostgreSQL of our own. */
export type Embedded = {
  /** Connection URL of the default database `console` as its superuser, for `pg` and for psql. */
  url: string
  /** One plain line that says how it runs. */
  note: string
  /** Leaves the server; whoever leaves last, of all processes and calls, stops it and waits for that. Idempotent. */
  release(): Promise<void>
}

/**
 * Starts the PostgreSQL in `${dataDir}/postgres`, making it first if needed, or adopts the one that runs there.
 * Should the server die while it is used, it is started again.
 * @param options.namespaces false to do without user namespaces, as a machine does that forbids them
 * @throws Error that says what stands in the way, with the end of the server's log if there is one
 */
export async function startEmbedded(dataDir: string, { namespaces = true } = {}): Promise<Embedded> {
  const folder = resolve(dataDir)
  await mkdir(folder, { recursive: true })
  const entry = await enterServer(folder, namespaces)
  let user = entry.user
  let released: Promise<void> | undefined
  let returned = Promise.resolve()

  // Who lost the connection is no user any more: the next one to leave would stop the server under us.
  const comeBack = async () => {
    while (!released && (await findCluster(folder).catch(() => undefined))) {
      const entered = await enterServer(folder, namespaces).catch(() => undefined)
      if (entered) {
        user = entered.user
        watch()
        return
      }
      await sleep(1_000, undefined, { ref: false })
    }
  }
  const watch = () => {
    user.gone.then(() => {
      if (!released) returned = comeBack()
    })
  }
  watch()

  const leave = async () => {
    await returned
    await user.leave()
  }
  const release = () => {
    released ??= leave()
    return released
  }
  return { url: entry.user.url, note: noteOf(entry), release }
}
