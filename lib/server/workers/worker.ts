import cluster from 'node:cluster'
import { logAs, reasonOf } from '#lib/platform/runtime/log.ts'
import type { Application, ShutdownReason } from '../application.ts'
import { type Host, RESTART, runUntilStopped, SIGNALS } from './lifetime.ts'
import type { News } from './worker-process.ts'

/** Process with a message channel to its parent. */
type Child = Host & Pick<NodeJS.Process, 'send' | 'connected'>

/**
 * Runs the application in this worker until its primary asks it to stop. Signals are ignored, because a supervisor or a
 * terminal signals the whole group, including the primary. If the primary is gone, Node ends the worker immediately.
 * @param start starts the application
 */
export function runWorker(start: () => Promise<Application>, host: Child = process): void {
  const sendNews = (news: News) => sendTo(host, news)
  for (const signal of [...SIGNALS, RESTART]) host.on(signal, () => {})
  logAs({ worker: cluster.worker?.id })
  const starting = start()
  const stop = runUntilStopped(starting, (error) => sendNews({ failed: reasonOf(error) }), 0, host)
  // Metrics have messages of their own, which are objects.
  host.on('message', (message: ShutdownReason | object) => {
    if (typeof message === 'string') stop(message)
  })
  starting.then(
    ({ url, note }) => sendNews({ ready: { url, note } }),
    () => {},
  )
}

/** Sends a message; resolves when the primary has received it, or is gone. */
function sendTo(host: Child, news: News): Promise<void> {
  return new Promise((resolve) => {
    if (host.send && host.connected) host.send(news, () => resolve())
    else resolve()
  })
}
