import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ClusterRegistry, Registry } from '@prometheus-io/client'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { count } from './instruments.ts'
import type { MetricsConfig } from './settings.ts'
import { watch } from './state.ts'

/** `url`: undefined where another process serves what this one measures. */
export type Serving = { url: string | undefined; stop(): Promise<void> }

/**
 * Measures what this process does from now on, and serves it. A worker serves nothing itself: its primary asks it.
 */
export async function startMetrics(at: MetricsConfig): Promise<Serving> {
  const registry = new Registry()
  count(registry)
  watch(registry)
  if (!cluster.isWorker) return serve(at, () => registry.metrics(), registry.contentType)
  ClusterRegistry.setRegistries(registry)
  // Its types do not have `shutdown`, which hands over what this worker has counted, so that it is not forgotten.
  const clusterRegistry = new ClusterRegistry() as ClusterRegistry<never> & {
    shutdown(wait: number): Promise<void>
  }
  return { url: undefined, stop: () => clusterRegistry.shutdown(2000).catch(() => {}) }
}

/** Serves what all workers of this primary measure, together. */
export async function startSharedMetrics(at: MetricsConfig): Promise<Serving> {
  ClusterRegistry.setRegistries([])
  const all = new ClusterRegistry()
  return serve(at, () => all.clusterMetrics(), all.contentType)
}

/** @throws Error that names the setting, where its port can't be had */
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
