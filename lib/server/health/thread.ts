import { createServer } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { type HealthState, sendReported } from './answer.ts'

// Health thread of a process: answers from the last report of the process, while it has no time for requests.

/** Connections of balancers and supervisors, which are few. */
const MAX_CONNECTIONS = 200
const TIMEOUTS = { headersTimeout: 2000, requestTimeout: 2000 }

export type HealthThreadOptions = { host: string; port: number; stalledMs: number }

// The build loads it without a parent, for its compile cache.
if (parentPort) serve(parentPort, workerData as HealthThreadOptions)

function serve(parent: NonNullable<typeof parentPort>, { host, port, stalledMs }: HealthThreadOptions): void {
  let reported: { state: HealthState; at: number } | undefined
  parent.on('message', (state: HealthState) => {
    reported = { state: { ...reported?.state, ...state }, at: performance.now() }
  })
  const server = createServer({ ...TIMEOUTS, requireHostHeader: false }, (req, res) => {
    const isRecent = reported !== undefined && performance.now() - reported.at <= stalledMs
    sendReported(req, res, isRecent ? reported?.state : undefined)
  })
  server.maxConnections = MAX_CONNECTIONS
  server.on('error', (error: NodeJS.ErrnoException) => parent.postMessage({ failed: error.code }))
  server.listen(port, host, () => parent.postMessage({ address: server.address() }))
}
