import cluster from 'node:cluster'
import { logAs, reasonOf } from '#lib/log.ts'
import { type Farewell, startApplication } from '../application.ts'
import { liveUntilAsked, RESTART, SIGNALS } from './lifetime.ts'
import type { News } from './member.ts'

/**
 * Runs the application in this worker until its primary asks it to leave. Signals are the primary's matter: a
 * supervisor or a terminal signals the whole group, and the primary is in it. Where the primary is gone, Node ends the
 * worker at once.
 */
export function runWorker(): void {
  for (const signal of [...SIGNALS, RESTART]) process.on(signal, () => {})
  logAs({ worker: cluster.worker?.id })
  const starting = startApplication()
  const stop = liveUntilAsked(starting, (error) => say({ failed: reasonOf(error) }))
  // The metrics have messages of their own, which are no text.
  process.on('message', (message: Farewell | object) => {
    if (typeof message === 'string') stop(message)
  })
  starting.then(
    ({ url, note }) => say({ ready: { url, note } }),
    () => {},
  )
}

/** Resolves when it has been handed to the primary, or the primary is gone. */
function say(news: News): Promise<void> {
  return new Promise((resolve) => {
    if (process.send && process.connected) process.send(news, () => resolve())
    else resolve()
  })
}
