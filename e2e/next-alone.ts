import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { freePort } from './free-port.ts'
import { appEnvironment } from './server.ts'

const READY_SECONDS = 180

/** Starts the built app on the data of the app under test with only `next start`, without our front door. */
export async function startNextAlone(): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort()
  const program = createRequire(import.meta.url).resolve('next/dist/bin/next')
  const next = spawn(
    process.execPath,
    [program, 'start', '--hostname', '127.0.0.1', '--port', String(port)],
    {
      env: { ...appEnvironment(), PORT: String(port), NODE_OPTIONS: '--conditions=react-server' },
      stdio: 'ignore',
      detached: true,
    },
  )
  const reaper = startProcessReaper()
  reaper.endGroup(next.pid as number)
  const url = `http://127.0.0.1:${port}`
  await untilAnswered(next, `${url}/billing/v1/openapi.json`)
  const stop = async () => {
    const ended = new Promise((resolve) => next.once('exit', resolve))
    next.kill('SIGTERM')
    await ended
    await reaper.dismiss()
  }
  return { url, stop }
}

async function untilAnswered(next: ChildProcess, url: string): Promise<void> {
  const end = Date.now() + READY_SECONDS * 1000
  while (Date.now() < end && next.exitCode === null) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
    if (answer?.ok) return
    // Fixed wait: poll interval.
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('`next start` was not ready.')
}
