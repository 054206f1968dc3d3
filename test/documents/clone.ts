import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const START_LIMIT_MS = 20 * 60_000
const POLL_MS = 200
/** Commands that run until they are stopped. */
const SERVER = /\bnpm (start|run (demo|dev))$/
/** Commands that have no console, and whose tests set their environment. */
const DEVELOPERS = /^(npx|npm run (check|build|unit|e2e|request-paths))\b/
/** Variables of the shell that a reader has, too; the settings of these tests are not among them. */
const INHERITED =
  /^(HOME|LANG|LC_\w+|TMPDIR|USER|SHELL|npm_config_\w+|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)$/i

export function isOfDevelopers(command: string): boolean {
  return DEVELOPERS.test(command)
}

/** Fresh clone of the project, in which commands run as a reader's shell runs them. */
export type Clone = Awaited<ReturnType<typeof cloneProject>>

/**
 * Clones the last commit. Packages are installed by the first command if the registry answers, and otherwise copied.
 * @param settings environment of all commands
 */
export async function cloneProject(settings: Record<string, string>) {
  const reaper = startProcessReaper()
  const home = mkdtempSync(join(tmpdir(), 'documents-'))
  const folder = join(home, 'clone')
  reaper.removeFolder(home)
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, folder])
  if (!hasRegistry()) execFileSync('cp', ['-a', join(ROOT, 'node_modules'), folder])
  const port = await freePort()
  const shell = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.test(name))),
    PATH: [join(folder, 'node_modules/.bin'), ...outerPath()].join(delimiter),
  } as unknown as NodeJS.ProcessEnv
  const env: NodeJS.ProcessEnv = {
    ...shell,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    CONSOLE: 'http://127.0.0.1:3000',
    ALLOWED_HOSTS: '127.0.0.1:3000',
    CURL_HOME: home,
    ...settings,
  }
  // The documents have the usual port. An error response fails the command.
  writeFileSync(
    join(home, '.curlrc'),
    `connect-to = "127.0.0.1:3000:127.0.0.1:${port}"\nfail-with-body\nsilent\n`,
  )
  let server: { child: ChildProcess; output: string } | undefined

  async function stop(): Promise<void> {
    if (!server) return
    const { child } = server
    server = undefined
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    process.kill(-(child.pid as number), 'SIGINT')
    await ended
    while (await answers(port)) await sleep(POLL_MS)
  }

  async function serve(command: string): Promise<string> {
    await stop()
    const child = spawn('bash', ['-c', command], { cwd: folder, env, detached: true })
    reaper.endGroup(child.pid as number)
    const started = { child, output: '' }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        started.output += part
      })
    const limit = Date.now() + START_LIMIT_MS
    while (!(await answers(port))) {
      if (child.exitCode !== null || Date.now() > limit)
        throw new Error(`${command} does not answer:\n${started.output}`)
      await sleep(POLL_MS)
    }
    server = started
    return started.output
  }

  return {
    folder,
    env,
    stop,
    /** Output of the running server until now. */
    output: () => server?.output ?? '',
    write(name: string, text: string): void {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), text)
    },
    remove: (name: string) => rmSync(join(folder, name), { recursive: true, force: true }),
    /**
     * Runs a command to its end; a server runs until the next one starts, or until `stop`.
     * @param answer to its question on a terminal
     * @returns its output
     * @throws Error with its output unless it ends with 0
     */
    async run(command: string, answer?: string): Promise<string> {
      if (SERVER.test(command)) return serve(command)
      const options = { cwd: folder, env: isOfDevelopers(command) ? shell : env, answer }
      const { code, output } = await execute(command, options)
      if (code !== 0) throw new Error(`${command}\nended with ${code}:\n${output}`)
      return output
    },
    async close(): Promise<void> {
      await stop()
      await reaper.dismiss()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function execute(
  command: string,
  { answer, ...options }: { cwd: string; env: NodeJS.ProcessEnv; answer: string | undefined },
) {
  const child =
    answer === undefined
      ? spawn('bash', ['-c', command], options)
      : spawn('script', ['-qec', command, '/dev/null'], options)
  let [output, hasAnswered] = ['', false]
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      output += part
      // Codes of the terminal may follow the question.
      if (hasAnswered || answer === undefined || !/\[y\/N\]|to go on:/.test(output)) return
      hasAnswered = true
      child.stdin.write(`${answer}\n`)
    })
  if (answer === undefined) child.stdin.end()
  const [code] = await once(child, 'close')
  return { code: code as number | null, output }
}

/** Returns the PATH of the shell that started npm. */
function outerPath(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((path) => !/node_modules|node-gyp-bin/.test(path))
}

/** Returns whether the registry of packages answers. */
export function hasRegistry(): boolean {
  try {
    execFileSync('npm', ['view', 'node@24', 'name', '--fetch-retries=0', '--fetch-timeout=10000'], {
      stdio: 'ignore',
      timeout: 30_000,
    })
    return true
  } catch {
    return false
  }
}

async function answers(port: number): Promise<boolean> {
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(60_000) })
    return status < 500
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  if (address === null || typeof address === 'string') throw new Error('No port is free.')
  return address.port
}
