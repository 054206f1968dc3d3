import cluster from 'node:cluster'
import { database } from '#lib/platform/db/client.ts'
import type { HealthState } from './answer.ts'
import { startHealthPort } from './port.ts'
import { whatIsMissing } from './readiness.ts'
import { healthSettings } from './settings.ts'

/** Interval of the reports, in milliseconds. */
const REPORT_INTERVAL_MS = 500

/**
 * Reports the state of this process until stopped: to its health thread, or to its primary.
 * @param report receives each state
 */
export function startReports(report: (state: HealthState) => void): { stop(): void } {
  let missing: HealthState['missing']
  let isChecking = false
  let isStopped = false
  const check = async () => {
    isChecking = true
    missing = await whatIsMissing()
    isChecking = false
    send()
  }
  const send = () => {
    // A check that was running at the stop ends when the database may be closed.
    if (!isStopped) report({ missing, replica: database().replica?.unavailability() })
  }
  const beat = () => {
    send()
    if (!isChecking) void check()
  }
  beat()
  const timer = setInterval(beat, REPORT_INTERVAL_MS).unref()
  return {
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}

/** Health reports of a process that answers requests. */
export type HealthReports = { drain(): void; stop(): Promise<void> }

/** Serves the health port, or as a worker reports to the primary, which serves it; nothing without HEALTH_PORT. */
export async function startHealth(): Promise<HealthReports | undefined> {
  if (healthSettings() === undefined) return undefined
  const served = cluster.isWorker ? undefined : await startHealthPort()
  const reports = startReports(served?.report ?? ((health) => void process.send?.({ health })))
  return {
    drain: () => served?.report({ isDraining: true }),
    async stop() {
      reports.stop()
      await served?.stop()
    },
  }
}
