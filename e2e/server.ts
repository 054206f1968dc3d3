import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { testFolder } from '#lib/platform/db/test-servers/test-folder.ts'
import { build } from '../scripts/build.ts'
import { WEB } from '../scripts/web-process.mjs'
import { NO_LIMITS } from '../test/fakes/no-limits.ts'
import { NO_NETWORK } from '../test/fakes/no-network.ts'
import { createDatabase, EMBEDDED, prepareDistributed } from './database.ts'
import { freePort } from './free-port.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Options of a web process for all programs: the build's compile cache depends on them. */
export const NODE = ['--conditions=react-server', '--disable-warning=ExperimentalWarning', ...WEB.options]
/** Program that runs operator's commands. */
export const OPERATOR = 'e2e/operator.ts'
const LOG = join(ROOT, 'test-results', 'server.log')
/** Ends a hanging start: a busy machine takes a tenth of this time. */
const READY_SECONDS = 180
const STOP_SECONDS = 120

type TestPorts = Record<'receiver' | 'issuer' | 'screenIssuer' | 'names', number>

/**
 * Returns the loopback ports that the app under test may call: a receiver of webhooks, the issuers of the two files on
 * single sign-on, and a name server. Each is for one file.
 */
export function testPorts(): TestPorts {
  return JSON.parse(process.env.E2E_PORTS ?? '{}')
}

/**
 * Returns the environment of a program that works on the data of the app under test: the app itself, and the operator's
 * commands that a test runs. Each name that the app reads is set, because Next would fill an unset one from a
 * developer's .env.
 */
export function appEnvironment(): NodeJS.ProcessEnv {
  const { E2E_BASE_URL, E2E_DATA_DIR, E2E_DATABASE, E2E_PORTS, E2E_OPERATOR, ...rest } = process.env
  if (!E2E_BASE_URL || !E2E_DATA_DIR) throw new Error('The app under test was not started.')
  return {
    ...rest,
    ...WEB.env,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: new URL(E2E_BASE_URL).port,
    BASE_URL: E2E_BASE_URL,
    DATA_DIR: E2E_DATA_DIR,
    ...(E2E_DATABASE ? JSON.parse(E2E_DATABASE) : EMBEDDED),
    ALLOWED_HOSTS: '',
    TRUST_PROXY: '',
    WEB_CONCURRENCY: '',
    DRAIN_SECONDS: '0',
    LOG_LEVEL: '',
    ...NO_NETWORK,
    ...NO_LIMITS,
    WEBHOOK_PRIVATE_HOSTS: `127.0.0.1:${testPorts().receiver}`,
    SIGN_ON_PRIVATE_HOSTS: `127.0.0.1:${testPorts().issuer},127.0.0.1:${testPorts().screenIssuer}`,
    SIGN_ON_DNS: `127.0.0.1:${testPorts().names}`,
  }
}

/**
 * Playwright's global setup: starts one built app for the whole run, on data of its own, and returns the function that
 * stops it. The app and all temporary folders of the tests end with the run, however it ends. These folders are in
 * memory if there is room; tests of the data's durability use the folder in E2E_DISK.
 */
export default async function startApp(): Promise<() => Promise<void>> {
  await build({ quiet: true })
  const folder = mkdtempSync(join(testFolder(), 'e2e-'))
  const disk = mkdtempSync(join(tmpdir(), 'e2e-disk-'))
  const reaper = startProcessReaper()
  for (const path of [folder, disk]) reaper.removeFolder(path)
  process.env.TMPDIR = folder
  process.env.E2E_DISK = disk
  const data = join(folder, 'data')
  const dropDistributed = await prepareDistributed()
  const database = await createDatabase()
  process.env.E2E_BASE_URL = `http://127.0.0.1:${await freePort()}`
  process.env.E2E_DATA_DIR = data
  const [receiver, issuer, screenIssuer, names] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  process.env.E2E_PORTS = JSON.stringify({ receiver, issuer, screenIssuer, names })
  process.env.E2E_DATABASE = JSON.stringify(database.settings)
  const app = spawnApp()
  reaper.endGroup(app.pid as number)
  const operator = spawnOperator(join(folder, 'operator'))
  reaper.endGroup(operator.process.pid as number)
  const stop = async () => {
    try {
      await operator.stop().finally(() => stopApp(app))
    } finally {
      await database.drop()
      await dropDistributed()
      await reaper.dismiss()
    }
  }
  try {
    await untilReady(app, process.env.E2E_BASE_URL)
    await operator.ready
    process.env.E2E_OPERATOR = operator.socket
    return stop
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }
}

function spawnApp(): ChildProcess {
  mkdirSync(join(ROOT, 'test-results'), { recursive: true })
  const app = spawn(process.execPath, [...NODE, 'lib/server/start.ts'], {
    cwd: ROOT,
    env: appEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const log = createWriteStream(LOG)
  app.stdout?.pipe(log, { end: false })
  app.stderr?.pipe(log, { end: false })
  return app
}

/** Starts the process that runs the operator's commands of all workers, on a socket. */
function spawnOperator(socket: string) {
  const child = spawn(process.execPath, [...NODE, OPERATOR], {
    cwd: ROOT,
    // Node warns about NO_COLOR together with Playwright's FORCE_COLOR.
    env: { ...appEnvironment(), FORCE_COLOR: undefined, OPERATOR_SOCKET: socket },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  const failed = ended.then(() => Promise.reject(new Error("The operator's process ended at its start.")))
  const ready = Promise.race([once(child.stdout, 'data'), failed])
  // A failed start of the app comes first.
  ready.catch(() => undefined)
  failed.catch(() => undefined)
  const stop = () => {
    child.stdin.end()
    return untilEnded(child, "The operator's process")
  }
  return { process: child, socket, ready, stop }
}

async function untilReady(app: ChildProcess, url: string): Promise<void> {
  const end = Date.now() + READY_SECONDS * 1000
  while (Date.now() < end) {
    if (hasEnded(app)) throw new Error(`The app ended at its start:\n${lastLines()}`)
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
    if (answer?.status === 200) return
    // Fixed wait: poll interval.
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`The app was not ready after ${READY_SECONDS} s:\n${lastLines()}`)
}

/** Stops the app with SIGTERM, as an operator does; fails the run if the app does not end, or ends badly. */
async function stopApp(app: ChildProcess): Promise<void> {
  if (!hasEnded(app)) app.kill('SIGTERM')
  await untilEnded(app, 'The app')
}

/** Waits for the end of a process, and kills it after a while. @throws Error where it does not end with 0 */
async function untilEnded(child: ChildProcess, name: string): Promise<void> {
  if (!hasEnded(child)) {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1000)
    await once(child, 'exit')
    clearTimeout(timer)
  }
  if (child.exitCode === 0) return
  throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}, not 0:\n${lastLines()}`)
}

function hasEnded(app: ChildProcess): boolean {
  return app.exitCode !== null || app.signalCode !== null
}

function lastLines(): string {
  return readFileSync(LOG, 'utf8').split('\n').slice(-30).join('\n')
}
