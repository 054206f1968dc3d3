import cluster from 'node:cluster'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import { env } from '#lib/platform/runtime/env.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { threadEnv } from '#lib/platform/runtime/thread-env.ts'
import type { HealthState } from './answer.ts'
import { healthSettings } from './settings.ts'

/** Time without a report after which the checks fail, in milliseconds. */
const STALLED_MS = 10_000

/** The thread needs a few MB: a check makes next to nothing. */
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }

/** Health port of this program. */
export type HealthPort = {
  url: string
  report(state: HealthState): void
  stop(): Promise<void>
}

/**
 * Serves the health checks at HEALTH_PORT, where one is set, by a thread of their own: it answers while this process
 * has no time for requests. Without reports it answers 503 `stalled`, so that a dead process is found. The primary of
 * several workers passes their reports on: its checks succeed while one of them reports.
 * @throws Error that names the setting, where the port is unavailable
 */
export async function startHealthPort(stalledMs = STALLED_MS): Promise<HealthPort | undefined> {
  const port = healthSettings()
  if (port === undefined) return undefined
  const { host } = env()
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: { host, port, stalledMs },
    env: threadEnv(),
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: LIMITS,
  })
  const [news] = (await once(thread, 'message')) as [{ address: AddressInfo } | { failed: string }]
  if ('failed' in news) {
    await thread.terminate()
    throw new Error(`HEALTH_PORT: ${host}:${port} can't be listened on (${news.failed}).`)
  }
  // A supervisor that finds the port closed restarts the process.
  thread.on('error', (error) => log().error({ reason: reasonOf(error) }, 'health thread died'))
  thread.unref()
  const report = (state: HealthState) => thread.postMessage(state)
  const pass = (_: unknown, message: { health?: HealthState }) => message.health && report(message.health)
  if (cluster.isPrimary) cluster.on('message', pass)
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${news.address.port}`
  log().info({ url }, 'health checks are answered')
  return {
    url,
    report,
    async stop() {
      cluster.off('message', pass)
      await thread.terminate()
    },
  }
}
