import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { type ProcessReaper, startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { WEB } from '../scripts/web-process.mjs'
import { EMBEDDED } from './database.ts'
import { appEnvironment } from './server.ts'

/** Ends the apps of this worker if the worker is killed. */
let reaper: ProcessReaper | undefined

/** Options of a web process for all programs: the build's compile cache depends on them. */
const NODE = ['--conditions=react-server', '--disable-warning=ExperimentalWarning', ...WEB.options]

/**
 * Returns the environment of a test's own app: its own data, any free port, and an embedded database, unless `more` has
 * the settings of another one (`createDatabase`).
 */
export function isolatedEnvironment(dataDir: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const settings = {
    DATA_DIR: dataDir,
    ...EMBEDDED,
    BASE_URL: '',
    PORT: '0',
    ...more,
  }
  // Node warns about NO_COLOR together with Playwright's FORCE_COLOR, and some tests check the whole output.
  return { ...appEnvironment(), FORCE_COLOR: undefined, ...settings }
}

/** Runs one of our programs to its end. */
export async function run(program: string, env: NodeJS.ProcessEnv, args: string[] = [], input = '') {
  const child = spawn(process.execPath, [...NODE, program, ...args], { env, stdio: 'pipe' })
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    output.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.err += chunk
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code: code as number | null, ...output }
}

type CommandResult = Awaited<ReturnType<typeof run>>
type RunCommand = (args: string[], input: string) => Promise<CommandResult>
const operators = new Map<string, RunCommand>()

/** Runs an operator's command on the data of an app, in a process that is reused for the next command. */
export function operate(env: NodeJS.ProcessEnv, args: string[], input = ''): Promise<CommandResult> {
  const data = `${env.DATA_DIR} ${env.DATABASE_URL}`
  const runCommand = operators.get(data) ?? startOperator(env)
  operators.set(data, runCommand)
  return runCommand(args, input)
}

function startOperator(env: NodeJS.ProcessEnv): RunCommand {
  // Not on the data of a test's own app, whose database ends with the last process that uses it.
  const stays = env.DATA_DIR === process.env.E2E_DATA_DIR ? '1' : ''
  const child = spawn(process.execPath, [...NODE, 'e2e/operator.ts'], {
    env: { ...env, OPERATOR_STAYS: stays },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]()
  // Neither the process nor its pipes keep the worker alive.
  for (const part of [child, child.stdin, child.stdout]) (part as unknown as { unref(): void }).unref()
  let last: Promise<unknown> = Promise.resolve()
  return (args, input) => {
    const answer = last.then(async () => {
      child.stdin?.write(`${JSON.stringify({ words: args, input })}\n`)
      const { value, done } = await answers.next()
      if (done) throw new Error(`The operator's process ended at ${args.join(' ')}.`)
      return JSON.parse(value)
    })
    last = answer.catch(() => undefined)
    return answer
  }
}

const SERVER = [process.execPath, ...NODE, 'lib/server/start.ts']

/** Starts the app and waits until it prints its address. */
export async function startIsolatedApp(env: NodeJS.ProcessEnv, [program = '', ...args] = SERVER) {
  reaper ??= startProcessReaper()
  const child = spawn(program, args, { env, stdio: 'pipe', detached: true })
  reaper.endGroup(child.pid as number)
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const address = /^Listening on (\S+)/m.exec(output)?.[1]
      if (address) resolve(address)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    ended.then((how) => reject(new Error(`The app ended with ${how}:\n${output}`)))
  })
  return {
    url,
    port: Number(new URL(url).port),
    ended,
    /** Output until now. */
    output: () => output,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Signals all processes of the group, as supervisors and terminals do. */
    killGroup: (signal: NodeJS.Signals) => process.kill(-(child.pid as number), signal),
  }
}

/** Returns the process id of the embedded database in a data directory; undefined when none runs. */
export function postmaster(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return undefined
  }
}
