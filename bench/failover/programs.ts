import { spawn, spawnSync } from 'node:child_process'
import { chownSync, openSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { existingAccounts } from '#lib/platform/db/embedded/choose-launch.ts'
import type { ProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'

/** Programs that the bench starts, and the package of Debian or Ubuntu that has each of them. */
const NEEDED = { etcd: 'etcd-server', patroni: 'patroni', haproxy: 'haproxy' }

const BINARIES = ['18', '17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin`)

/** The search path of programs: haproxy is in a system folder. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`

/**
 * Account that runs the programs: this process's, or PostgreSQL's if this process is root, as which PostgreSQL refuses
 * to run.
 */
export type Account = { uid: number; gid: number } | undefined

/** Returns the folder with the programs of PostgreSQL 15 or newer. */
export function serverBinaries(): string | undefined {
  return BINARIES.find((folder) => spawnSync(join(folder, 'postgres'), ['--version']).status === 0)
}

/** Returns the Debian names of the packages that this machine lacks: PostgreSQL and, by default, all others. */
export function missingPackages(packages = Object.keys(NEEDED)): string[] {
  const isThere = (name: string) => spawnSync('which', [name], { env: { ...process.env, PATH } }).status === 0
  const others = Object.entries(NEEDED).filter(([name]) => packages.includes(name))
  const missing = others.flatMap(([name, origin]) => (isThere(name) ? [] : [origin]))
  return serverBinaries() ? missing : [...missing, 'postgresql']
}

/** @throws Error if this process is root and there is no account `postgres` */
export async function unprivileged(): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined
  const account = (await existingAccounts()).find(({ name }) => name === 'postgres')
  if (!account) throw new Error('As root this needs an account "postgres", as which the servers run.')
  return { uid: account.uid, gid: account.gid }
}

/** A process that leads its own process group. */
export type Running = { pid: number; kill(): void }

/**
 * Returns a function that starts programs for a run in `folder`, which belongs to the account; the reaper ends them
 * with this process.
 */
export function starter(reaper: ProcessReaper, folder: string, account: Account) {
  if (account) chownSync(folder, account.uid, account.gid)
  /** @param name of the file in `folder` that receives the program's output */
  return (name: string, program: string, args: string[], env: Record<string, string>): Running => {
    const log = openSync(join(folder, `${name}.log`), 'a')
    const child = spawn(program, args, {
      ...account,
      cwd: folder,
      // Passes only PATH on: neither an address of a database nor a secret.
      env: { PATH, LC_ALL: 'C.UTF-8', HOME: folder, NODE_ENV: 'production', ...env },
      stdio: ['ignore', log, log],
      detached: true,
    })
    child.on('error', (error) => process.stderr.write(`${program}: ${error.message}\n`))
    const pid = child.pid ?? 0
    if (pid === 0) throw new Error(`${program} did not start.`)
    reaper.endGroup(pid)
    return { pid, kill: () => void process.kill(-pid, 'SIGKILL') }
  }
}

/** Returns the variables of a file of `deploy/pair/`, some of them replaced. */
export function variables(file: string, others: Record<string, string>): Record<string, string> {
  const parsed = parseEnv(readFileSync(join('deploy/pair', file), 'utf8'))
  const unknown = Object.keys(others).filter((name) => !(name in parsed))
  if (unknown.length > 0) throw new Error(`deploy/pair/${file} does not have ${unknown.join(', ')}.`)
  return { ...(parsed as Record<string, string>), ...others }
}

/** Returns ports of this machine that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

function listen() {
  const server = createServer()
  return new Promise<typeof server>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

/** In milliseconds: initdb, or a copy of the other node, makes a node. */
const TIMEOUT_MS = 120_000

/**
 * Repeats the attempt until it returns a value.
 * @throws Error with the last attempt's error if there is no value after two minutes
 */
export async function waitFor<Value>(attempt: () => Promise<Value | undefined | false>): Promise<Value> {
  const until = Date.now() + TIMEOUT_MS
  for (;;) {
    const value = await attempt().catch((error: Error) => error)
    if (value && !(value instanceof Error)) return value
    if (Date.now() > until)
      throw new Error('What was waited for did not come in two minutes.', { cause: value })
    await sleep(200)
  }
}
