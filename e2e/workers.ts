import { expect } from '@playwright/test'
import type { startIsolatedApp } from './isolated-app.ts'
import { type Connection, openConnection } from './tcp-connection.ts'

type App = Pick<Awaited<ReturnType<typeof startIsolatedApp>>, 'url' | 'output'>

/** Returns the app's log lines about workers with this message. */
export function logged(app: App, msg: string): { worker: number; pid: number; code?: number | string }[] {
  const lines = app.output().split('\n')
  return lines.filter((line) => line.includes(`"msg":"${msg}"`)).map((line) => JSON.parse(line))
}

/** Returns the ids of the workers that are or were ready, in their order. */
export function workersOf(app: App): number[] {
  return logged(app, 'worker ready')
    .map(({ worker }) => worker)
    .sort((one, other) => one - other)
}

/**
 * Opens a connection to each of two workers, by their ids: connections are assigned in turn, and the log has the
 * worker.
 */
export async function connectToEach(
  app: App,
  first: number,
  second: number,
): Promise<[Connection, Connection]> {
  const lines = new Map<number, Connection>()
  for (;;) {
    const [one, other] = [lines.get(first), lines.get(second)]
    if (one && other) return [one, other]
    const line = openConnection(app.url)
    const { headers } = await line.request('/auth/v1/validate')
    const entry = () =>
      app
        .output()
        .split('\n')
        .find((logLine) => logLine.includes(String(headers['request-id'])))
    await expect.poll(entry).toBeDefined()
    const { worker } = JSON.parse(entry() as string)
    lines.get(worker)?.close()
    lines.set(worker, line)
  }
}
