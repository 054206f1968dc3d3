import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ClusterRegistry, Registry } from '@prometheus-io/client'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { count } from './instruments.ts'
import type { MetricsConfig } from './settings.ts'
import { watch } from './state.ts'

/** Server of metrics. `url`: undefined where the primary serves the metrics of this process. */
export type Serving = { url: string | undefined; stop(): Promise<void> }

/**
 * Measures this process from now on, and serves its metrics. A worker serves nothing itself: its primary collects its
 * metrics.
 */
export async function startMetrics(at: MetricsConfig): Promise<Serving> {
  const registry = new Registry()
  count(registry)
  watch(registry)
  if (!cluster.isWorker) return serve(at, () => registry.metrics(), registry.contentType)
  ClusterRegistry.setRegistries(registry)
  // Missing from its types: `shutdown` hands over the counts of this worker, so that they are not lost.
  const clusterRegistry = new ClusterRegistry() as ClusterRegistry<never> & {
    shutdown(wait: number): Promise<void>
  }
  return { url: undefined, stop: () => clusterRegistry.shutdown(2000).catch(() => {}) }
}

/** Serves the combined metrics of all workers of this primary. */
export async function startSharedMetrics(at: MetricsConfig): Promise<Serving> {
  ClusterRegistry.setRegistries([])
  const all = new ClusterRegistry()
  return serve(at, () => all.clusterMetrics(), all.contentType)
}

/** @throws Error that names the setting, where its port is unavailable */
async function serve(
  { host, port }: MetricsConfig,
  text: () => Promise<string>,
  contentType: string,
): Promise<Serving> {
  const server = createServer(async (req, res) => {
    if (req.url !== '/metrics' || req.method !== 'GET') return void res.writeHead(404).end()
    try {
      const body = await text()
      res.writeHead(200, { 'Content-Type': contentType }).end(body)
    } catch (error) {
      log().warn({ reason: reasonOf(error) }, 'the metrics could not be gathered')
      res.writeHead(503).end()
    }
  })
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    throw new Error(`METRICS_PORT: ${host}:${port} can't be listened on (${reasonOf(error)}).`)
  }
  server.unref()
  const { port: real } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${real}/metrics`
  log().info({ url }, 'metrics are served')
  return {
    url,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
