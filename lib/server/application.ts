import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { limitSettings } from '#lib/platform/caller/limits/settings.ts'
import { sessionSecret } from '#lib/platform/caller/session.ts'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { startCheckedDatabase } from '#lib/platform/db/start.ts'
import { enterProduction, env } from '#lib/platform/runtime/env.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { accounts } from '#lib/vendors/accounts.ts'
import { admission } from './admission/admission.ts'
import { boundedPages, boundedSteps } from './admission/bounded-pages.ts'
import { boundConnections } from './admission/connections.ts'
import { pathClassifier } from './admission/path-kinds.ts'
import { preparedPages } from './admission/prepared-pages.ts'
import { loadApi } from './api.ts'
import { startCounting } from './audit/anonymous-rejections.ts'
import { checkSettings } from './check-settings.ts'
import { assetHandler } from './delivery/asset-handler.ts'
import { loadPageCode } from './delivery/page-code.ts'
import { closeAfterResponse, drain, handOver } from './drain.ts'
import { healthCheck } from './health/health.ts'
import { watchReplica } from './health/replica.ts'
import { startHealth } from './health/reports.ts'
import { startHeapGrowth } from './heap-growth.ts'
import { httpHandler } from './http-handler.ts'
import { httpServer, listen } from './http-server.ts'
import { startJobs } from './jobs.ts'
import { metricsSettings } from './metrics/settings.ts'
import { securityHeaders } from './security-headers.ts'
import { exposureSettings } from './settings.ts'
import { traceSettings } from './traces/settings.ts'
import type { Traces } from './traces/start.ts'
import { proxyDoubt } from './unknown-proxy.ts'
import { processSettings } from './workers/settings.ts'

/** Time for running requests to finish once the port is closed, in milliseconds. */
const DRAIN_LIMIT = 20_000

/**
 * Kind of shutdown. `announced`: `/healthz` reports it for DRAIN_SECONDS while requests are answered as before,
 * so that load balancers notice; then the port closes. `at once`: the port closes immediately. `handed over`: the port
 * passes to another worker, which load balancers need not notice; kept connections have DRAIN_SECONDS for a last
 * request. Running requests finish in each case.
 */
export type ShutdownReason = 'announced' | 'at once' | 'handed over'

export type Application = {
  /** Address of the server. */
  url: string
  /** Description of the database, in one line. */
  note: string
  /** Stops accepting requests, finishes running ones, and disconnects from the database. */
  stop(reason: ShutdownReason): Promise<void>
}

/**
 * Starts the database, Next and the HTTP server; resolves when requests are answered.
 * @throws Error with the reason in one line; nothing is left running then
 */
export async function startApplication(): Promise<Application> {
  checkSettings()
  enterProduction()
  if (!isBuilt()) throw new Error('The application is not built yet: run `npm run build` first.')
  // Fails now instead of at the first sign-in or the first change.
  sessionSecret()
  accounts()
  const database = await startCheckedDatabase().catch(explain)
  let replica: { stop(): void } | undefined
  let traces: Traces | undefined
  try {
    replica = await watchReplica()
    // Loaded only where traces are enabled.
    traces = traceSettings() ? (await import('./traces/start.ts')).startTraces() : undefined
    const [app, api] = await Promise.all([prepareNext(), loadApi(traces?.trace)])
    const pages = app.getRequestHandler()
    const checkRouterState = await routerStateCheck()
    const https = env().baseUrl.startsWith('https:')
    const always = securityHeaders(https, exposureSettings().hstsSubdomains)
    const server = httpServer((req, res) => handler(req, res), always)
    const url = await listen(server)
    let isDraining = false
    // The port is known now, and therefore the host names. No request has been read yet.
    const { allowedHosts, trustProxy, baseUrl } = env()
    const limits = limitSettings()
    const doubt = proxyDoubt({ https, trustProxy })
    if (doubt) log().warn(doubt)
    // Behind a proxy all connections come from the proxy.
    if (!trustProxy) boundConnections(server, limits.connections)
    const inside = assetHandler(traces?.ofPages(pages) ?? pages)
    const { host } = new URL(baseUrl)
    const handler = httpHandler({
      hosts: allowedHosts,
      trustProxy,
      https,
      always,
      checkRouterState,
      health: healthCheck(() => isDraining),
      admission: admission(limits, trustProxy),
      api,
      pages: preparedPages({
        kindOf: pathClassifier(),
        inside,
        host,
        https,
        otherwise: boundedPages(inside),
      }),
      inside: boundedSteps(inside),
    })
    const jobs = await startJobs(database.url, database.direct)
    const at = metricsSettings()
    // Loaded only where metrics are enabled.
    const metrics = at && (await (await import('./metrics/serve.ts')).startMetrics(at))
    const reports = await startHealth()
    const rejectionCounter = startCounting()
    const heapGrowth = startHeapGrowth()
    // A page that can't be loaded fails its own requests.
    loadPageCode(join(ROOT, '.next')).catch((error) =>
      log().warn({ reason: reasonOf(error) }, 'pages are not loaded'),
    )
    const stop = async (reason: ShutdownReason) => {
      isDraining = reason !== 'handed over'
      if (isDraining) reports?.drain()
      await Promise.all([jobs.stop(), letGo(server, reason)])
      await Promise.all([app.close(), metrics?.stop(), reports?.stop(), rejectionCounter.stop()])
      replica?.stop()
      heapGrowth.stop()
      await database.stop()
      await traces?.stop()
    }
    return { url, note: database.note, stop }
  } catch (error) {
    replica?.stop()
    await Promise.all([database.stop(), traces?.stop()])
    throw error
  }
}

async function letGo(server: Server, reason: ShutdownReason): Promise<void> {
  const { noticeMs } = processSettings()
  if (reason !== 'at once') closeAfterResponse(server)
  if (reason === 'announced') await sleep(noticeMs)
  if (reason === 'handed over') await handOver(server, noticeMs)
  if (!(await drain(server, DRAIN_LIMIT))) log().warn('some requests took too long and were cut')
}

/**
 * Adds the setting to an error of the database driver, which names neither setting nor purpose; the embedded database's
 * errors are clear.
 */
function explain(error: unknown): never {
  if (databaseSettings().url === undefined) throw error
  throw new Error(`The database of DATABASE_URL can't be used: ${reasonOf(error)}`, { cause: error })
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Returns whether `next build` has completed here. */
function isBuilt(): boolean {
  return existsSync(join(ROOT, '.next', 'BUILD_ID'))
}

/** Starts Next without its messages about the start: the first line on standard output is the address. */
async function prepareNext() {
  // Imported late, because React reads NODE_ENV at its import.
  const { default: next } = await import('next')
  const { host, port } = env()
  const app = next({ dev: false, dir: ROOT, hostname: host, port })
  const { stdout } = process
  const { write } = stdout
  stdout.write = (...written: unknown[]) => {
    // Streams wait for this callback.
    const done = written.findLast((one) => typeof one === 'function')
    done?.()
    return true
  }
  try {
    await app.prepare()
  } finally {
    stdout.write = write
  }
  return app
}

/**
 * Returns Next's own parser of the Next-Router-State-Tree header, which throws for values that no page has sent; a
 * parser of ours would reject those of a later version. It is the only internal of Next that we use;
 * application.test.ts covers it.
 */
export async function routerStateCheck() {
  const { parseAndValidateFlightRouterState } = await import(
    'next/dist/server/app-render/parse-and-validate-flight-router-state.js'
  )
  return parseAndValidateFlightRouterState
}
