import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type ProcessReaper, startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { EMBEDDED } from './database.ts'
import { appEnvironment, NODE, OPERATOR } from './server.ts'

/** Ends the apps of this worker if the worker is killed. */
let reaper: ProcessReaper | undefined

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
type RunCommand = (args: string[], input: string, settings: Record<string, string>) => Promise<CommandResult>
const operators = new Map<string, RunCommand>()

/**
 * Runs an operator's command on the data of an app, in a process that is reused for the next command. All workers share
 * that of the app under test.
 * @param settings of the command, where they differ from those of the app
 */
export function operate(
  env: NodeJS.ProcessEnv,
  args: string[],
  input = '',
  settings: Record<string, string> = {},
): Promise<CommandResult> {
  const data = `${env.DATA_DIR} ${env.DATABASE_URL}`
  const runCommand = operators.get(data) ?? commandsOf(operatorOf(env))
  operators.set(data, runCommand)
  return runCommand(args, input, settings)
}

/** Returns the input and the output of the operator's process on the data of an app. Neither keeps the worker alive. */
function operatorOf(env: NodeJS.ProcessEnv): { input: Writable; output: Readable } {
  const { E2E_OPERATOR, E2E_DATA_DIR } = process.env
  if (E2E_OPERATOR && env.DATA_DIR === E2E_DATA_DIR) {
    const socket = connect(E2E_OPERATOR).unref()
    return { input: socket, output: socket }
  }
  const child = spawn(process.execPath, [...NODE, OPERATOR], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  for (const part of [child, child.stdin, child.stdout]) (part as unknown as { unref(): void }).unref()
  return { input: child.stdin, output: child.stdout }
}

function commandsOf({ input: commands, output }: { input: Writable; output: Readable }): RunCommand {
  const answers = createInterface({ input: output })[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  return (args, input, settings) => {
    const answer = last.then(async () => {
      commands.write(`${JSON.stringify({ words: args, input, settings })}\n`)
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
