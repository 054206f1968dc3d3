import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { ProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { installationSecret } from '#lib/platform/runtime/secrets.ts'
import { WEB } from '../../scripts/web-process.mjs'
import { NO_LIMITS } from '../../test/fakes/no-limits.ts'
import { NO_NETWORK } from '../../test/fakes/no-network.ts'

const NODE = ['--conditions=react-server', '--disable-warning=ExperimentalWarning']
const MB = 1024 * 1024

/** A server of the project that runs as a separate process. */
export type Program = {
  url: string
  pid: number
  /** Seconds from the start until it listened. */
  startSeconds: number
  /** Resident memory of the program and its child processes in MB; undefined if there is no /proc. */
  memory(): number | undefined
  /** Processor time of the program and its child processes in seconds; undefined if there is no /proc. */
  processor(): number | undefined
  stop(): Promise<void>
  /** Kills the program and its child processes immediately, like kill -9. */
  kill(): void
}

/** Node options for profiling: BENCH_NODE_OPTIONS='--cpu-prof --cpu-prof-dir=/tmp/profiles'. */
const nodeOptions = () => (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean)

/** Secret with which the bench makes sessions and page tokens itself. */
export const SESSION_SECRET = 'only-for-the-bench-only-for-the-bench'

const SETTINGS = {
  ...NO_NETWORK,
  ...NO_LIMITS,
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PORT: '0',
  BASE_URL: '',
  ALLOWED_HOSTS: '',
  TRUST_PROXY: '',
  SESSION_SECRET,
  // A log line for each request, as in production. The peer writes none.
  LOG_LEVEL: 'info',
}

/**
 * Starts the built app as in production.
 * @param url of its database; empty for an embedded one in DATA_DIR
 */
export function startApp(
  reaper: ProcessReaper,
  url: string,
  processes: string,
  more: Record<string, string> = {},
): Promise<Program> {
  const secret = url
    ? { DATABASE_SECRET: installationSecret('database') }
    : { SESSION_SECRET: '', DATABASE_SECRET: '' }
  const env = { ...SETTINGS, DATABASE_URL: url, WEB_CONCURRENCY: processes, ...secret, ...more }
  return startProgram(reaper, { ...WEB.env, ...env }, ...WEB.options, 'lib/server/start.ts')
}

/** Starts the plain server of the comparison. */
export function startPeer(reaper: ProcessReaper, url: string): Promise<Program> {
  return startProgram(reaper, { NODE_ENV: 'production', SESSION_SECRET }, 'bench/http/peer-process.ts', url)
}

/**
 * Starts a program and waits until it prints `Listening on …`.
 * @throws Error with the program's output, if it ends instead
 */
async function startProgram(
  reaper: ProcessReaper,
  env: Record<string, string>,
  ...program: string[]
): Promise<Program> {
  const began = performance.now()
  const child = spawn(process.execPath, [...NODE, ...nodeOptions(), ...program], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const pid = child.pid as number
  reaper.endGroup(pid)
  const ended = once(child, 'exit')
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      // Once it listens, the log lines of its requests are read and discarded.
      if (output.length < 10_000) output += chunk
      const address = /^Listening on (\S+)/m.exec(output)?.[1]
      if (address) resolve(address)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    ended.then(([code]) =>
      reject(
        new Error(`${program.find((argument) => argument.endsWith('.ts'))} ended with ${code}:\n${output}`),
      ),
    )
  })
  return {
    url,
    pid,
    startSeconds: (performance.now() - began) / 1000,
    memory: () => sumOf(pid, rssOf),
    processor: () => sumOf(pid, processorOf),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
    kill: () => void process.kill(-pid, 'SIGKILL'),
  }
}

function sumOf(pid: number, measure: (pid: number) => number): number | undefined {
  try {
    return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + measure(one), 0)
  } catch {
    return undefined
  }
}

function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const children = tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return children.flatMap((child) => [child, ...childrenOf(child)])
}

function rssOf(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
  return (pages * systemValue('PAGESIZE')) / MB
}

function processorOf(pid: number): number {
  // After the name, which may contain spaces, user and system time are the 12th and 13th fields.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / systemValue('CLK_TCK')
}

const values = new Map<string, number>()

function systemValue(name: 'PAGESIZE' | 'CLK_TCK'): number {
  const cached = values.get(name) ?? Number(execFileSync('getconf', [name], { encoding: 'utf8' }))
  values.set(name, cached)
  return cached
}
